package schema

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
)

// Actor identifies the author of a change in the audit.
type Actor struct {
	Name  string // user | model | host | night | enrich
	RunID int64  // the consolidation run, 0 outside one
}

// SupersededConfidence is the most confidence that a superseded claim keeps
// (simplified-memory.md §8).
const SupersededConfidence = 0.3

// change is one column and its new value.
type change struct {
	column string
	value  any
}

// changeMemory sets columns of a memory under compare-and-swap on its version and
// writes the audit row that undo and the search indexes read. It increments
// m.Version; the caller updates the other fields of m. It returns [ErrConflict] if
// the stored version is not m.Version.
func (tx *Tx) changeMemory(ctx context.Context, m *Memory, by Actor, operation string, changes ...change) error {
	columns := make([]string, len(changes))
	sets := make([]string, len(changes))
	args := make([]any, 0, len(changes)+2)
	for i, c := range changes {
		columns[i] = fmt.Sprintf("'%s', %s", c.column, c.column)
		sets[i] = c.column + " = ?"
		args = append(args, c.value)
	}
	row := "SELECT json_object(" + strings.Join(columns, ", ") + ") FROM memories WHERE id = ?"
	var before, after string
	if err := tx.Row(ctx, row, []any{m.ID}, &before); err != nil {
		return err
	}
	if n, err := engine.Affected(tx.Exec(ctx, "UPDATE memories SET "+strings.Join(sets, ", ")+", version = version + 1 WHERE id = ? AND version = ?",
		append(args, m.ID, m.Version)...)); err != nil {
		return err
	} else if n == 0 {
		return fmt.Errorf("memory %s: %w", m.UID, ErrConflict)
	}
	if err := tx.Row(ctx, row, []any{m.ID}, &after); err != nil {
		return err
	}
	m.Version++
	return tx.Audit(ctx, m, by, operation, before, after)
}

// Audit records a change of a memory. before and after are JSON objects of the
// changed columns, or "".
func (tx *Tx) Audit(ctx context.Context, m *Memory, by Actor, operation, before, after string) error {
	return tx.AuditRow(ctx, m.UserID, by, operation, "memories", m.ID, before, after)
}

// AuditRow records a change of a row of the table record. before and after are JSON
// objects, or "".
func (tx *Tx) AuditRow(ctx context.Context, userID int64, by Actor, operation, record string, recordID int64, before, after string) error {
	_, err := tx.Exec(ctx, `INSERT INTO ops (user_id, run_id, at, actor, operation, record, record_id, before, after)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		userID, NullID(by.RunID), tx.Now.UnixMilli(), by.Name, operation, record, recordID, before, after)
	return err
}

// Supersede ends old at the ValidFrom of replacement, which must be stored already,
// and links the two. old keeps at most [SupersededConfidence].
//
// Errors: [*InvalidError] if the replacement's trust is lower than old's or old is
// protected; [ErrConflict] if old is not current or changed since it was read.
func (tx *Tx) Supersede(ctx context.Context, old, replacement *Memory, by Actor) error {
	if replacement.Trust < old.Trust {
		return &InvalidError{Field: "trust", Reason: fmt.Sprintf("of the new claim (%d) is below that of the one it would replace (%d)", replacement.Trust, old.Trust)}
	}
	if replacement.State == StateQuarantined {
		return &InvalidError{Field: "memory_id", Reason: "names a quarantined memory as the replacement; release it first"}
	}
	if old.Protected {
		return &InvalidError{Field: "memory_id", Reason: "names a protected memory; only the host can change it"}
	}
	if old.ended() {
		return fmt.Errorf("memory %s is no longer current: %w", old.UID, ErrConflict)
	}
	until := replacement.ValidFrom
	if until.Before(old.ValidFrom.Time) {
		until = old.ValidFrom
	}
	if err := tx.changeMemory(ctx, old, by, "supersede",
		change{"state", string(StateSuperseded)},
		change{"valid_until", until},
		change{"expired_at", At(tx.Now)},
		change{"superseded_by", replacement.ID},
		change{"confidence", min(old.Confidence, SupersededConfidence)},
	); err != nil {
		return err
	}
	_, err := tx.Link(ctx, replacement, old, LinkSupersedes, 1, by)
	return err
}

// Retire soft-deletes a derived memory: its row stays as history, and it is valid
// until now.
//
// Errors: [*InvalidError] for an episode or a protected memory; [ErrConflict] if m is
// not current or changed since it was read.
func (tx *Tx) Retire(ctx context.Context, m *Memory, by Actor) error {
	if m.Kind == KindEpisode {
		return &InvalidError{Field: "memory_id", Reason: "names an episode; what was said is never retired"}
	}
	if m.Protected {
		return &InvalidError{Field: "memory_id", Reason: "names a protected memory"}
	}
	if m.ended() {
		return fmt.Errorf("memory %s is no longer current: %w", m.UID, ErrConflict)
	}
	now := At(tx.Now)
	return tx.changeMemory(ctx, m, by, "retire",
		change{"state", string(StateRetired)}, change{"valid_until", now}, change{"expired_at", now})
}

// ended reports whether a memory is no longer current.
func (m *Memory) ended() bool {
	return m.State == StateSuperseded || m.State == StateRetired || m.State == StateForgotten
}

// SetState moves a memory between active, dormant and quarantined, and updates m.
//
// Errors: [*InvalidError] for another state; [ErrConflict].
func (tx *Tx) SetState(ctx context.Context, m *Memory, state State, by Actor) error {
	if !slices.Contains([]State{StateActive, StateDormant, StateQuarantined}, state) {
		return &InvalidError{Field: "state", Reason: "must be active, dormant or quarantined; use Retire or Supersede to end a memory"}
	}
	if err := tx.changeMemory(ctx, m, by, "state", change{"state", string(state)}); err != nil {
		return err
	}
	m.State = state
	return nil
}

// Protect excludes a memory from decay and from the changes of nights, makes it active if
// it is dormant, and updates m. It must be requested by a person, the user or a host.
//
// Errors: [ErrConflict].
func (tx *Tx) Protect(ctx context.Context, m *Memory, by Actor) error {
	if m.State == StateDormant {
		if err := tx.SetState(ctx, m, StateActive, by); err != nil {
			return err
		}
	}
	if err := tx.changeMemory(ctx, m, by, "protect", change{"protected", true}, change{"decay_rate", 0.0}); err != nil {
		return err
	}
	m.Protected, m.DecayRate = true, 0
	return nil
}

// Unprotect ends the protection and restores the decay rate of the memory's kind.
//
// Errors: [ErrConflict].
func (tx *Tx) Unprotect(ctx context.Context, m *Memory, by Actor) error {
	rate := DefaultDecayRate
	if m.Kind == KindEpisode {
		rate = 0
	}
	if err := tx.changeMemory(ctx, m, by, "unprotect", change{"protected", false}, change{"decay_rate", rate}); err != nil {
		return err
	}
	m.Protected, m.DecayRate = false, rate
	return nil
}

// SetTrust sets the origin and the trust of a memory by the decision of a host. A memory
// that becomes the user's word gets [AttrApproved]: its text may be a model's.
//
// Errors: [*InvalidError] for a trust above the origin's ceiling; [ErrConflict].
func (tx *Tx) SetTrust(ctx context.Context, m *Memory, origin Origin, trust Trust, by Actor) error {
	changed := *m
	changed.Origin, changed.Trust = origin, trust
	if err := changed.Validate(); err != nil {
		return err
	}
	changes := []change{{"origin", string(origin)}, {"trust", int64(trust)}}
	if changed.OwnWords() && !m.OwnWords() {
		changed.Attributes = Attributes{AttrApproved: by.Name}
		maps.Copy(changed.Attributes, m.Attributes)
		changes = append(changes, change{"attributes", changed.Attributes})
	}
	if err := tx.changeMemory(ctx, m, by, "vouch", changes...); err != nil {
		return err
	}
	m.Origin, m.Trust, m.Attributes = origin, trust, changed.Attributes
	return nil
}

// Touch counts one access of each memory, given by public id, at a time. Dormant
// memories become active. An access raises the stability unless it follows the last
// one within the same conversation. Accesses are not audited and do not change the
// version. Unknown ids are ignored.
func (tx *Tx) Touch(ctx context.Context, userID int64, uids []string, at time.Time) error {
	if len(uids) == 0 {
		return nil
	}
	shown := JSONList(uids)
	dormant, err := tx.dormantAmong(ctx, userID, shown)
	if err != nil {
		return err
	}
	for _, uid := range dormant {
		m, err := tx.Memory(ctx, userID, uid)
		if errors.Is(err, ErrNotFound) { // being erased
			continue
		}
		if err == nil {
			err = tx.SetState(ctx, m, StateActive, Actor{Name: "enrich"})
		}
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, touchMemories, at.UnixMilli(), string(shown), userID, oneUse, MaxStability, useGrowth)
	return err
}

// The pluses keep SQLite from using the index on user_id, which would read all of
// the user's memories for a few ids.
const (
	dormantMemories = "SELECT uid FROM memories WHERE uid IN (SELECT value FROM json_each(?)) AND +user_id = ? AND +state = ? ORDER BY id"
	touchMemories   = `UPDATE memories SET access_count = access_count + 1, last_accessed = max(coalesce(last_accessed, 0), ?1),
		stability = CASE WHEN ?1 - coalesce(last_accessed, created_at) < ?4 THEN stability ELSE max(stability, min(?5, max(1.0, stability) * ?6)) END
		WHERE uid IN (SELECT value FROM json_each(?2)) AND +user_id = ?3`
)

func (tx *Tx) dormantAmong(ctx context.Context, userID int64, uids string) (dormant []string, err error) {
	return Column[string](ctx, tx.Query, dormantMemories, uids, userID, string(StateDormant))
}

// HeldAt reports whether the memory was true at the time valid according to what was
// stored at the time known. A zero valid means now, a zero known what is stored now.
func (m *Memory) HeldAt(valid, known time.Time) bool {
	if !known.IsZero() && m.CreatedAt.After(known) {
		return false // not stored yet
	}
	until := m.ValidUntil
	if !known.IsZero() && !m.ExpiredAt.IsZero() && m.ExpiredAt.After(known) {
		until = Time{} // its end was not known yet
	}
	if valid.IsZero() {
		return until.IsZero()
	}
	return !m.ValidFrom.After(valid) && (until.IsZero() || valid.Before(until.Time))
}
