package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Actor says who changes a memory, for the audit.
type Actor struct {
	Name  string // user | model | host | night | enrich
	RunID int64  // the consolidation run, 0 outside one
}

// SupersededConfidence is what is left of the confidence of a claim that a
// newer one replaced (simplified-memory.md §8).
const SupersededConfidence = 0.3

// change is one column and its new value.
type change struct {
	column string
	value  any
}

// changeMemory sets columns of one memory under compare-and-swap and writes
// the audit row that undo and the search indexes read. It returns
// [ErrConflict] when the memory is no longer at m.Version.
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
	res, err := tx.Exec(ctx, "UPDATE memories SET "+strings.Join(sets, ", ")+", version = version + 1 WHERE id = ? AND version = ?",
		append(args, m.ID, m.Version)...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
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

func (tx *Tx) Audit(ctx context.Context, m *Memory, by Actor, operation, before, after string) error {
	return tx.AuditRow(ctx, m.UserID, by, operation, "memories", m.ID, before, after)
}

func (tx *Tx) AuditRow(ctx context.Context, userID int64, by Actor, operation, record string, recordID int64, before, after string) error {
	_, err := tx.Exec(ctx, `INSERT INTO ops (user_id, run_id, at, actor, operation, record, record_id, before, after)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		userID, NullID(by.RunID), tx.Now.UnixMilli(), by.Name, operation, record, recordID, before, after)
	return err
}

// Supersede closes old in favour of replacement, which is already stored: old
// was true until the replacement's ValidFrom, and that is known from now on.
//
// Errors: [*InvalidError] when the replacement is trusted less than old or old
// is protected; [ErrConflict] when old changed since it was read.
func (tx *Tx) Supersede(ctx context.Context, old, replacement *Memory, by Actor) error {
	if replacement.Trust < old.Trust {
		return &InvalidError{Field: "trust", Reason: fmt.Sprintf("of the new claim (%d) is below that of the one it would replace (%d)", replacement.Trust, old.Trust)}
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
	_, err := tx.Link(ctx, replacement, old, "supersedes", by)
	return err
}

// Retire soft-deletes a derived memory: it is no longer current, and history
// keeps it. Errors: [*InvalidError] for an episode or a protected memory,
// [ErrConflict] for one that is no longer current or changed since it was read.
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

// ended reports a memory that is no longer current.
func (m *Memory) ended() bool {
	return m.State == StateSuperseded || m.State == StateRetired || m.State == StateForgotten
}

// SetState moves a memory between active, dormant and quarantined.
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

// Protect fixes a memory for good: it no longer decays and no night changes
// it. Only a person may ask for it: the user, or a host.
func (tx *Tx) Protect(ctx context.Context, m *Memory, by Actor) error {
	if err := tx.changeMemory(ctx, m, by, "protect", change{"protected", true}, change{"decay_rate", 0.0}); err != nil {
		return err
	}
	m.Protected, m.DecayRate = true, 0
	return nil
}

// Unprotect lets a memory fade and change again as others of its kind do.
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

// Vouch gives a memory the origin and the trust of what somebody may speak for.
// Only a host may ask for it, on behalf of whoever decided.
//
// Errors: [*InvalidError] for a trust that the origin cannot carry.
func (tx *Tx) Vouch(ctx context.Context, m *Memory, origin Origin, trust Trust, by Actor) error {
	vouched := *m
	vouched.Origin, vouched.Trust = origin, trust
	if err := vouched.Validate(); err != nil {
		return err
	}
	if err := tx.changeMemory(ctx, m, by, "vouch", change{"origin", string(origin)}, change{"trust", int64(trust)}); err != nil {
		return err
	}
	m.Origin, m.Trust = origin, trust
	return nil
}

// Touch counts one access of each memory at the given time; dormant ones wake, and
// one that is not of the same conversation as the last makes it more stable.
// Access is bookkeeping, not a claim: it is not audited and keeps Version.
func (tx *Tx) Touch(ctx context.Context, userID int64, uids []string, at time.Time) error {
	if len(uids) == 0 {
		return nil
	}
	shown, err := json.Marshal(uids)
	if err != nil {
		return err
	}
	dormant, err := tx.dormantAmong(ctx, userID, string(shown))
	if err != nil {
		return err
	}
	for _, uid := range dormant {
		m, err := tx.Memory(ctx, userID, uid)
		if errors.Is(err, ErrNotFound) { // it waits to be erased
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

// The pluses keep SQLite from reading all of a user's memories for five ids,
// while everybody waits for the write to end.
const (
	dormantMemories = "SELECT uid FROM memories WHERE uid IN (SELECT value FROM json_each(?)) AND +user_id = ? AND +state = ? ORDER BY id"
	touchMemories   = `UPDATE memories SET access_count = access_count + 1, last_accessed = max(coalesce(last_accessed, 0), ?1),
		stability = CASE WHEN ?1 - coalesce(last_accessed, created_at) < ?4 THEN stability ELSE max(stability, min(?5, max(1.0, stability) * ?6)) END
		WHERE uid IN (SELECT value FROM json_each(?2)) AND +user_id = ?3`
)

func (tx *Tx) dormantAmong(ctx context.Context, userID int64, uids string) (dormant []string, err error) {
	rows, err := tx.Query(ctx, dormantMemories, uids, userID, string(StateDormant))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var uid string
		if err := rows.Scan(&uid); err != nil {
			return nil, err
		}
		dormant = append(dormant, uid)
	}
	return dormant, rows.Err()
}

// HeldAt reports whether the memory was true at valid as far as was known at
// known: both time axes. A zero time means "no restriction" on that axis for
// the past, that is, the current state of knowledge or of the world.
func (m *Memory) HeldAt(valid, known time.Time) bool {
	if !known.IsZero() && m.CreatedAt.After(known) {
		return false // not learnt yet
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
