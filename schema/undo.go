package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Undone is what became of undoing a run.
type Undone struct {
	Run     string `json:"run_id"`
	Changes int    `json:"changes"` // taken back
	// Kept is what stayed, because something later rests on it.
	Kept []Kept `json:"kept,omitempty"`
}

// Kept is one change of an undone run that stayed.
type Kept struct {
	Record    string `json:"record"` // memories | entities | proposals | gaps | runs
	ID        string `json:"id"`
	Operation string `json:"operation"`
	Reason    string `json:"reason"`
}

// keptError says why one change cannot be taken back.
type keptError string

func (e keptError) Error() string { return string(e) }

// UndoRun takes everything back that a run did, newest first, so that the
// memory is what it was before: what it added is removed, what it changed has
// its old values, watermarks stand where they stood. The local day stays
// consolidated, the run's row and the audit stay as history.
//
// A change that something later rests on stays and is listed: a fact that the
// user has corrected or a host protected since, or that a later run built on.
//
// The caller makes sure that no run is at work: one that was cut off can be
// undone too.
//
// Errors: [ErrNotFound] for a run that is not the user's, [ErrConflict] for one
// that is undone.
func (tx *Tx) UndoRun(ctx context.Context, userID int64, runUID string, by Actor) (*Undone, error) {
	var runID int64
	var state string
	err := tx.Row(ctx, "SELECT id, state FROM runs WHERE user_id = ? AND uid = ?", []any{userID, runUID}, &runID, &state)
	if err != nil {
		return nil, orNotFound(err)
	}
	if state == "undone" {
		return nil, fmt.Errorf("run %s is undone already: %w", runUID, ErrConflict)
	}
	var ops []Op
	if err := tx.NewSelect().Model(&ops).Where("run_id = ?", runID).Order("id DESC").Scan(ctx); err != nil {
		return nil, err
	}
	u := &undo{tx: tx, userID: userID, by: by, result: &Undone{Run: runUID}}
	for i := range ops {
		if err := u.op(ctx, &ops[i]); err != nil {
			return nil, err
		}
	}
	_, err = tx.Exec(ctx, "UPDATE runs SET state = 'undone' WHERE id = ?", runID)
	return u.result, err
}

// undo is the undoing of one run.
type undo struct {
	tx     *Tx
	userID int64
	by     Actor
	result *Undone
}

// op takes back one change.
func (u *undo) op(ctx context.Context, op *Op) error {
	err := u.reverse(ctx, op)
	var kept keptError
	switch {
	case errors.As(err, &kept):
		uid, err := u.uid(ctx, op)
		if err != nil {
			return err
		}
		u.result.Kept = append(u.result.Kept, Kept{Record: op.Record, ID: uid, Operation: op.Operation, Reason: string(kept)})
		return nil
	case err != nil:
		return fmt.Errorf("undo %s of %s %d: %w", op.Operation, op.Record, op.RecordID, err)
	}
	u.result.Changes++
	return nil
}

func (u *undo) uid(ctx context.Context, op *Op) (uid string, err error) {
	if !slices.Contains([]string{"memories", "entities", "proposals", "gaps", "runs"}, op.Record) {
		return "", nil
	}
	err = u.tx.Row(ctx, "SELECT uid FROM "+op.Record+" WHERE id = ? AND user_id = ?", []any{op.RecordID, u.userID}, &uid)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return uid, err
}

func (u *undo) reverse(ctx context.Context, op *Op) error {
	if op.Before == "" && op.After == "" {
		return keptError("was erased since")
	}
	switch op.Operation {
	case opAdd:
		return u.add(ctx, op)
	case opSource:
		return u.related(ctx, op, "DELETE FROM memory_sources WHERE memory_id = ? AND source_id = (SELECT id FROM memories WHERE uid = json_extract(?, '$.source'))")
	case opLink:
		return u.related(ctx, op, `DELETE FROM links WHERE from_id = ?1 AND type = json_extract(?2, '$.type')
			AND to_id = (SELECT id FROM memories WHERE uid = json_extract(?2, '$.to'))`)
	case opMention, opUnmention:
		return u.mention(ctx, op)
	case opMerge:
		return u.merge(ctx, op)
	case opSummary:
		return u.exactly(ctx, "was changed since", `UPDATE entities SET summary = json_extract(?2, '$.summary') WHERE id = ?1 AND summary = json_extract(?3, '$.summary')`,
			op.RecordID, op.Before, op.After)
	case opWatermark:
		return u.watermark(ctx, op)
	case opImportance:
		_, err := u.tx.Exec(ctx, "UPDATE users SET importance_since = max(0, importance_since + json_extract(?, '$.spent')) WHERE id = ?", op.Before, u.userID)
		return err
	case opBlock:
		return u.block(ctx, op)
	case opReflected:
		return u.exactly(ctx, "was reflected on since", `UPDATE users SET reflected_cycle = json_extract(?2, '$.cycle'), reflected_at = json_extract(?2, '$.at')
			WHERE id = ?1 AND reflected_at IS json_extract(?3, '$.at')`, u.userID, op.Before, op.After)
	case opPropose:
		return u.exactly(ctx, "was decided since", "DELETE FROM proposals WHERE id = ? AND user_id = ? AND state = 'pending'", op.RecordID, u.userID)
	case opGap:
		return u.gap(ctx, op)
	default:
		if op.Record != "memories" || op.Before == "" || op.After == "" {
			return keptError("this version does not know how to take it back")
		}
		return u.columns(ctx, op)
	}
}

// exactly runs a statement that must change one row, or the change is kept.
func (u *undo) exactly(ctx context.Context, otherwise, statement string, args ...any) error {
	res, err := u.tx.Exec(ctx, statement, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		return keptError(otherwise)
	}
	return nil
}

// related takes back an edge that hangs on a memory; one that went with its
// memory is gone already.
func (u *undo) related(ctx context.Context, op *Op, statement string) error {
	if _, err := u.tx.Exec(ctx, statement, op.RecordID, op.After); err != nil {
		return err
	}
	return u.mark(ctx, op.RecordID, opUndo)
}

// opUndo tells whoever keeps an index in memory that a run's change is gone.
const opUndo = "undo"

// mark leaves an op by which indexes in memory learn of a change.
func (u *undo) mark(ctx context.Context, memoryID int64, operation string) error {
	return u.tx.auditRow(ctx, u.userID, u.by, operation, "memories", memoryID, "", "")
}

// memoryColumns may be changed by a run, and so be set by undoing it.
var memoryColumns = []string{
	"state", "valid_from", "valid_until", "expired_at", "superseded_by", "confidence", "importance", "access_count", "last_accessed",
	"decay_rate", "stability", "utility", "protected", "pinned", "origin", "trust", "subject", "predicate", "object", "tags", "attributes",
}

// columns gives a memory's columns their old values, when they still have
// those the run gave them. What counts and what was last are bookkeeping that
// goes on: a count is taken back by what the run added.
func (u *undo) columns(ctx context.Context, op *Op) error {
	var before map[string]json.RawMessage
	if err := json.Unmarshal([]byte(op.Before), &before); err != nil {
		return fmt.Errorf("the audit is damaged: %w", err)
	}
	set, where := "version = version + 1", ""
	for _, column := range slices.Sorted(maps.Keys(before)) {
		if !slices.Contains(memoryColumns, column) {
			return keptError("changed the column " + column + ", which no run may")
		}
		old, now := "json_extract(?2, '$."+column+"')", "json_extract(?3, '$."+column+"')"
		switch column {
		case "access_count":
			set += ", access_count = max(0, access_count - " + now + " + " + old + ")"
		case "stability":
			set += ", stability = CASE WHEN stability IS " + now + " THEN " + old + " ELSE max(1.0, stability * " + old + " / " + now + ") END"
		case "last_accessed":
			set += ", last_accessed = CASE WHEN last_accessed IS " + now + " THEN " + old + " ELSE last_accessed END"
		default:
			set += ", " + column + " = " + old
			where += " AND " + column + " IS " + now
		}
	}
	if err := u.exactly(ctx, "was changed since", "UPDATE memories SET "+set+" WHERE id = ?1"+where, op.RecordID, op.Before, op.After); err != nil {
		return err
	}
	return u.restoreVersion(ctx, op)
}

// restoreVersion gives a memory the version it had when nobody but the run
// has changed it since; otherwise the version goes on.
func (u *undo) restoreVersion(ctx context.Context, op *Op) error {
	_, err := u.tx.Exec(ctx, `UPDATE memories SET version = version - 2 WHERE id = ?1 AND NOT EXISTS (
		SELECT 1 FROM ops WHERE record = 'memories' AND record_id = ?1 AND id > ?2 AND run_id IS NOT ?3 AND operation <> 'undo'
			AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ops.run_id AND state = 'undone'))`,
		op.RecordID, op.ID, op.RunID)
	if err != nil {
		return err
	}
	return u.mark(ctx, op.RecordID, opUndo)
}

// add removes a memory that the run stored, unless somebody has made it theirs
// since.
func (u *undo) add(ctx context.Context, op *Op) error {
	var uid string
	var version int64
	var protected, rested, replaces bool
	err := u.tx.Row(ctx, `SELECT uid, version, protected OR pinned, EXISTS (SELECT 1 FROM memory_sources WHERE source_id = m.id),
		EXISTS (SELECT 1 FROM memories WHERE superseded_by = m.id) FROM memories m WHERE id = ?`,
		[]any{op.RecordID}, &uid, &version, &protected, &rested, &replaces)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return keptError("is gone already")
	case err != nil:
		return err
	case protected:
		return keptError("was protected since")
	case rested:
		return keptError("a later memory rests on it")
	case replaces:
		return keptError("it replaced another memory since")
	case version != 1:
		return keptError("was changed since")
	}
	return u.tx.removeMemory(ctx, u.userID, op, u.by)
}

// removeMemory deletes a memory that a run added, its text in search, and the
// entities that came with it, when nothing else mentions them and nobody but
// runs that were taken back changed them.
func (tx *Tx) removeMemory(ctx context.Context, userID int64, added *Op, by Actor) error {
	memoryID := added.RecordID
	var mentioned []int64
	if err := tx.NewSelect().Table("memory_entities").Column("entity_id").Where("memory_id = ?", memoryID).Scan(ctx, &mentioned); err != nil {
		return err
	}
	for _, entity := range mentioned {
		if err := tx.unmention(ctx, memoryID, entity); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM entities WHERE id = ?1 AND mention_count = 0 AND NOT protected AND summary = '' AND merged_into IS NULL
			AND NOT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = entities.id)
			AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.merged_into = entities.id)
			AND NOT EXISTS (SELECT 1 FROM ops WHERE record = 'entities' AND record_id = entities.id AND run_id IS NOT ?3 AND operation <> 'undo'
				AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ops.run_id AND state = 'undone'))
			AND NOT EXISTS (SELECT 1 FROM ops WHERE run_id = ?3 AND id < ?4 AND operation = 'unmention' AND json_extract(before, '$.entity') = entities.uid)
			AND created_at >= (SELECT created_at FROM memories WHERE id = ?2)`, entity, memoryID, added.RunID, added.ID); err != nil {
			return err
		}
	}
	if err := tx.removeChunks(ctx, userID, memoryID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM memories WHERE id = ?", memoryID); err != nil {
		return err
	}
	return tx.auditRow(ctx, userID, by, opRemove, "memories", memoryID, "", "")
}

func (u *undo) mention(ctx context.Context, op *Op) error {
	var m struct {
		Entity     string  `json:"entity"`
		Surface    string  `json:"surface"`
		Confidence float64 `json:"confidence"`
	}
	what := op.After
	if op.Operation == opUnmention {
		what = op.Before
	}
	if err := json.Unmarshal([]byte(what), &m); err != nil {
		return fmt.Errorf("the audit is damaged: %w", err)
	}
	var entity int64
	var exists, linked bool
	err := u.tx.Row(ctx, `SELECT id, EXISTS (SELECT 1 FROM memories WHERE id = ?3),
		EXISTS (SELECT 1 FROM memory_entities WHERE memory_id = ?3 AND entity_id = entities.id) FROM entities WHERE user_id = ?1 AND uid = ?2`,
		[]any{u.userID, m.Entity, op.RecordID}, &entity, &exists, &linked)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return keptError("the entity is gone")
	case err != nil:
		return err
	case op.Operation == opMention && linked:
		err = u.tx.unmention(ctx, op.RecordID, entity)
	case op.Operation == opUnmention && exists && !linked:
		err = u.tx.mention(ctx, op.RecordID, entity, m.Surface, m.Confidence)
	}
	if err != nil {
		return err
	}
	return u.mark(ctx, op.RecordID, opUndo)
}

func (u *undo) merge(ctx context.Context, op *Op) error {
	const into = "(SELECT id FROM entities WHERE uid = json_extract(?2, '$.into'))"
	err := u.exactly(ctx, "was merged elsewhere since", "UPDATE entities SET merged_into = NULL WHERE id = ?1 AND merged_into = "+into, op.RecordID, op.After)
	if err != nil {
		return err
	}
	var whole, mentions int64
	if err := u.tx.Row(ctx, "SELECT mention_count, "+into+" FROM entities WHERE id = ?1", []any{op.RecordID, op.After}, &mentions, &whole); err != nil {
		return err
	}
	if err := u.tx.countMentions(ctx, whole, -mentions); err != nil {
		return err
	}
	return u.tx.auditRow(ctx, u.userID, u.by, opUndo, "entities", op.RecordID, "", "") // see [Snapshot.Merged]
}

func (u *undo) watermark(ctx context.Context, op *Op) error {
	var before, after struct {
		Name    string `json:"name"`
		Through string `json:"through"`
	}
	if err := errors.Join(json.Unmarshal([]byte(op.Before), &before), json.Unmarshal([]byte(op.After), &after)); err != nil {
		return fmt.Errorf("the audit is damaged: %w", err)
	}
	if before.Through == "" {
		return u.exactly(ctx, "a later run went on from there", `DELETE FROM watermarks WHERE user_id = ? AND name = ?
			AND through = (SELECT id FROM memories WHERE uid = ?)`, u.userID, after.Name, after.Through)
	}
	return u.exactly(ctx, "a later run went on from there", `UPDATE watermarks SET through = coalesce((SELECT id FROM memories WHERE uid = ?), 0)
		WHERE user_id = ? AND name = ? AND through = (SELECT id FROM memories WHERE uid = ?)`, before.Through, u.userID, after.Name, after.Through)
}

func (u *undo) gap(ctx context.Context, op *Op) error {
	switch {
	case op.Before == "": // opened
		return u.exactly(ctx, "was tried again since", "DELETE FROM gaps WHERE id = ? AND user_id = ? AND attempts = json_extract(?, '$.attempts')", op.RecordID, u.userID, op.After)
	case op.After == "": // closed
		_, err := u.tx.Exec(ctx, `INSERT INTO gaps (id, uid, user_id, stage, memories, attempts, last_error, created_at)
			VALUES (nullif(?1, 0), json_extract(?2, '$.uid'), ?3, json_extract(?2, '$.stage'), json_extract(?2, '$.memories'),
				json_extract(?2, '$.attempts'), json_extract(?2, '$.last_error'), json_extract(?2, '$.created_at')) ON CONFLICT DO NOTHING`,
			op.RecordID, op.Before, u.userID)
		return err
	default:
		return u.exactly(ctx, "was tried again since", `UPDATE gaps SET attempts = json_extract(?2, '$.attempts'), last_error = json_extract(?2, '$.last_error')
			WHERE id = ?1 AND user_id = ?4 AND attempts = json_extract(?3, '$.attempts')`, op.RecordID, op.Before, op.After, u.userID)
	}
}

// block takes a change of core memory back and leaves what was changed after it.
func (u *undo) block(ctx context.Context, op *Op) error {
	b := new(Block)
	err := u.tx.NewSelect().Model(b).Where("id = ? AND user_id = ?", op.RecordID, u.userID).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return keptError("was erased since")
	}
	if err != nil {
		return err
	}
	var made struct{ Version int64 }
	if err := json.Unmarshal([]byte(op.After), &made); err != nil {
		return fmt.Errorf("the audit is damaged: %w", err)
	}
	err = u.tx.UndoBlock(ctx, b, nil, made.Version, "", u.by)
	if _, nothing := errors.AsType[*InvalidError](err); nothing {
		return nil // somebody took it out
	}
	if errors.Is(err, ErrConflict) || errors.Is(err, ErrNotFound) {
		return keptError("was changed since")
	}
	return err
}
