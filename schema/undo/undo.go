// Package undo takes back what a run of the night did, from the audit rows that each
// of its changes left.
package undo

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/erase"
)

// Result reports what undoing a run did.
type Result struct {
	Run     string `json:"run_id"`
	Changes int    `json:"changes"` // reversed
	// Kept are the changes that stayed, because a later one builds on them.
	Kept []Kept `json:"kept,omitempty"`
}

// Kept is one change of an undone run that stayed.
type Kept struct {
	Record    string `json:"record"` // memories | entities | proposals | gaps | runs
	ID        string `json:"id"`
	Operation string `json:"operation"`
	Reason    string `json:"reason"`
}

// keptError is the reason why a change cannot be reversed.
type keptError string

func (e keptError) Error() string { return string(e) }

// Run reverses everything that a run did, newest first: memories that it added are
// deleted, changed columns get their old values, watermarks their old positions. The
// local day stays consolidated; the run's row and the audit stay as history.
//
// A change that something later builds on stays and is listed: a fact that the user
// has corrected or a host has protected since, or that a later run built on.
//
// The caller ensures that no run is active. An interrupted run can be undone too.
//
// Errors: [schema.ErrNotFound] for a run that is not the user's,
// [schema.ErrConflict] for one that was undone before, and while an erasure of the user
// goes through the history, which may hold words of what was erased.
func Run(ctx context.Context, tx *schema.Tx, userID int64, runUID string, by schema.Actor) (*Result, error) {
	var runID int64
	var state string
	err := tx.Row(ctx, "SELECT id, state FROM runs WHERE user_id = ? AND uid = ?", []any{userID, runUID}, &runID, &state)
	if err != nil {
		return nil, schema.OrNotFound(err)
	}
	if state == "undone" {
		return nil, fmt.Errorf("run %s is undone already: %w", runUID, schema.ErrConflict)
	}
	if erasing, err := erase.Unfinished(ctx, tx, userID); err != nil {
		return nil, err
	} else if erasing {
		return nil, fmt.Errorf("run %s cannot be undone until an erasure has ended: %w", runUID, schema.ErrConflict)
	}
	var ops []schema.Op
	if err := tx.NewSelect().Model(&ops).Where("run_id = ?", runID).Order("id DESC").Scan(ctx); err != nil {
		return nil, err
	}
	u := &undoer{tx: tx, userID: userID, by: by, result: &Result{Run: runUID}}
	for i := range ops {
		if err := u.op(ctx, &ops[i]); err != nil {
			return nil, err
		}
	}
	_, err = tx.Exec(ctx, "UPDATE runs SET state = 'undone' WHERE id = ?", runID)
	return u.result, err
}

// undoer reverses one run.
type undoer struct {
	tx     *schema.Tx
	userID int64
	by     schema.Actor
	result *Result
}

// op reverses one change.
func (u *undoer) op(ctx context.Context, op *schema.Op) error {
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

func (u *undoer) uid(ctx context.Context, op *schema.Op) (uid string, err error) {
	if !slices.Contains([]string{"memories", "entities", "proposals", "gaps", "runs"}, op.Record) {
		return "", nil
	}
	err = u.tx.Row(ctx, "SELECT uid FROM "+op.Record+" WHERE id = ? AND user_id = ?", []any{op.RecordID, u.userID}, &uid)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return uid, err
}

func (u *undoer) reverse(ctx context.Context, op *schema.Op) error {
	if op.Before == "" && op.After == "" {
		return keptError("was erased since")
	}
	if err := Check(op); err != nil {
		return err
	}
	switch op.Operation {
	case schema.OpAdd:
		return u.add(ctx, op)
	case schema.OpSource:
		return u.related(ctx, op, "DELETE FROM memory_sources WHERE memory_id = ? AND source_id = (SELECT id FROM memories WHERE uid = json_extract(?, '$.source'))")
	case schema.OpLink:
		return u.related(ctx, op, `DELETE FROM links WHERE from_id = ?1 AND type = json_extract(?2, '$.type')
			AND to_id = (SELECT id FROM memories WHERE uid = json_extract(?2, '$.to'))`)
	case schema.OpUnlink:
		return u.exactly(ctx, "one of the memories or the run that related them is gone, or they were related again since", `INSERT INTO links
			(from_id, to_id, type, confidence, created_at, run_id)
			SELECT f.id, t.id, json_extract(?2, '$.type'), CAST(json_extract(?2, '$.confidence') AS DOUBLE PRECISION), CAST(json_extract(?2, '$.created_at') AS BIGINT), r.id
			FROM memories f JOIN memories t ON t.uid = json_extract(?2, '$.to') AND t.user_id = ?3
			LEFT JOIN runs r ON r.uid = json_extract(?2, '$.run') AND r.user_id = ?3
			WHERE f.id = ?1 AND f.user_id = ?3 AND coalesce(r.state, '') <> 'undone' ON CONFLICT DO NOTHING`, op.RecordID, op.Before, u.userID)
	case schema.OpMention, schema.OpUnmention:
		return u.mention(ctx, op)
	case schema.OpMerge:
		return u.merge(ctx, op)
	case schema.OpSummary:
		return u.exactly(ctx, "was changed since", `UPDATE entities SET summary = json_extract(?2, '$.summary') WHERE id = ?1 AND summary = json_extract(?3, '$.summary')`,
			op.RecordID, op.Before, op.After)
	case schema.OpWatermark:
		return u.watermark(ctx, op)
	case schema.OpImportance:
		_, err := u.tx.Exec(ctx, "UPDATE users SET importance_since = max(0, importance_since + CAST(json_extract(?, '$.spent') AS DOUBLE PRECISION)) WHERE id = ?", op.Before, u.userID)
		return err
	case core.OpBlock:
		return u.block(ctx, op)
	case schema.OpReflected:
		return u.exactly(ctx, "was reflected on since", `UPDATE users SET reflected_cycle = CAST(json_extract(?2, '$.cycle') AS BIGINT), reflected_at = CAST(json_extract(?2, '$.at') AS BIGINT)
			WHERE id = ?1 AND coalesce(reflected_at, -1) = coalesce(CAST(json_extract(?3, '$.at') AS BIGINT), -1)`, u.userID, op.Before, op.After)
	case schema.OpPropose:
		// See [schema.Tx.Hold]: the memory decays as if the question had not been put.
		if _, err := u.tx.Exec(ctx, "UPDATE memories SET decay_rate = ?2 WHERE protected = 0 AND id = "+questioned, op.RecordID, schema.DefaultDecayRate); err != nil {
			return err
		}
		return u.exactly(ctx, "was decided since", "DELETE FROM proposals WHERE id = ? AND user_id = ? AND state = 'pending'", op.RecordID, u.userID)
	case schema.OpGap:
		return u.gap(ctx, op)
	case schema.OpDecide:
		return u.decision(ctx, op)
	default:
		if op.Record != "memories" || op.Before == "" || op.After == "" {
			return keptError("this version does not know how to take it back")
		}
		return u.columns(ctx, op)
	}
}

// exactly runs a statement that must change one row; otherwise the change is kept.
func (u *undoer) exactly(ctx context.Context, otherwise, statement string, args ...any) error {
	if n, err := engine.Affected(u.tx.Exec(ctx, statement, args...)); err != nil {
		return err
	} else if n == 0 {
		return keptError(otherwise)
	}
	return nil
}

// related deletes an edge of a memory; one that was deleted with its memory is gone
// already.
func (u *undoer) related(ctx context.Context, op *schema.Op, statement string) error {
	if _, err := u.tx.Exec(ctx, statement, op.RecordID, op.After); err != nil {
		return err
	}
	return u.mark(ctx, op.RecordID, opUndo)
}

// opUndo signals to in-memory indexes that a run's change was reversed.
const opUndo = "undo"

// mark writes an audit row from which in-memory indexes learn of a change.
func (u *undoer) mark(ctx context.Context, memoryID int64, operation string) error {
	return u.tx.AuditRow(ctx, u.userID, u.by, operation, "memories", memoryID, "", "")
}

// columns restores the old values of a memory's columns if they still have the
// values that the run set. Counters and last-access times go on; a counter is
// reduced by what the run added.
func (u *undoer) columns(ctx context.Context, op *schema.Op) error {
	before, err := decode(op.Before)
	if err != nil {
		return err
	}
	set, where := "version = version + 1", ""
	for _, column := range slices.Sorted(maps.Keys(before)) {
		if memoryColumns[column] == nil {
			return keptError("changed the column " + column + ", which no run may")
		}
		old, now := valueIn("?2", column), valueIn("?3", column)
		switch column {
		case "access_count":
			set += ", access_count = max(0, access_count - " + now + " + " + old + ")"
		case "stability":
			set += ", stability = CASE WHEN stability = " + now + " THEN " + old + " ELSE max(1.0, stability * " + old + " / " + now + ") END"
		case "last_accessed":
			set += ", last_accessed = CASE WHEN coalesce(last_accessed, -1) = coalesce(" + now + ", -1) THEN " + old + " ELSE last_accessed END"
		default:
			set += ", " + column + " = " + old
			where += " AND (" + column + " = " + now + " OR " + column + " IS NULL AND " + now + " IS NULL)"
		}
	}
	if err = u.exactly(ctx, "was changed since", "UPDATE memories SET "+set+" WHERE id = ?1"+where, op.RecordID, op.Before, op.After); err != nil {
		return err
	}
	return u.restoreVersion(ctx, op)
}

// valueIn is the SQL of a column of memories in the JSON that a parameter holds.
func valueIn(param, column string) string {
	value := "json_extract(" + param + ", '$." + column + "')"
	switch column {
	case "confidence", "importance", "decay_rate", "stability", "utility":
		return "CAST(" + value + " AS DOUBLE PRECISION)"
	case "valid_until", "expired_at", "valid_from", "event_time", "superseded_by", "access_count", "last_accessed", "protected", "pinned", "trust":
		return "CAST(" + value + " AS BIGINT)"
	}
	return value
}

// restoreVersion restores a memory's version if only this run has changed it since;
// otherwise the version goes on.
func (u *undoer) restoreVersion(ctx context.Context, op *schema.Op) error {
	_, err := u.tx.Exec(ctx, `UPDATE memories SET version = version - 2 WHERE id = ?1 AND NOT EXISTS (
		SELECT 1 FROM ops WHERE record = 'memories' AND record_id = ?1 AND id > ?2 AND run_id IS NOT ?3 AND operation <> 'undo'
			AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ops.run_id AND state = 'undone'))`,
		op.RecordID, op.ID, op.RunID)
	if err != nil {
		return err
	}
	return u.mark(ctx, op.RecordID, opUndo)
}

// add deletes a memory that the run stored, unless it was changed or protected
// since.
func (u *undoer) add(ctx context.Context, op *schema.Op) error {
	var uid string
	var version int64
	var protected, rested, replaces bool
	err := u.tx.Row(ctx, `SELECT uid, version, protected <> 0 OR pinned <> 0, EXISTS (SELECT 1 FROM memory_sources WHERE source_id = m.id),
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
	return removeMemory(ctx, u.tx, u.userID, uid, op, u.by)
}

// removeMemory deletes a memory that a run added, its text in the index, and the
// entities that were created with it, if no other memory mentions them and only
// undone runs changed them. Watermarks that point at it move to the memory before it.
func removeMemory(ctx context.Context, tx *schema.Tx, userID int64, uid string, added *schema.Op, by schema.Actor) error {
	memoryID := added.RecordID
	var mentioned []int64
	if err := tx.NewSelect().Table("memory_entities").Column("entity_id").Where("memory_id = ?", memoryID).Scan(ctx, &mentioned); err != nil {
		return err
	}
	for _, entity := range mentioned {
		if err := tx.Unmention(ctx, memoryID, entity); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM entities WHERE id = ?1 AND mention_count = 0 AND protected = 0 AND summary = '' AND merged_into IS NULL
			AND NOT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = entities.id)
			AND NOT EXISTS (SELECT 1 FROM entities e WHERE e.merged_into = entities.id)
			AND NOT EXISTS (SELECT 1 FROM ops WHERE record = 'entities' AND record_id = entities.id AND run_id IS NOT ?3 AND operation <> 'undo'
				AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ops.run_id AND state = 'undone'))
			AND NOT EXISTS (SELECT 1 FROM ops WHERE run_id = ?3 AND id < ?4 AND operation = 'unmention' AND json_extract(before, '$.entity') = entities.uid)
			AND created_at >= (SELECT created_at FROM memories WHERE id = ?2)`, entity, memoryID, added.RunID, added.ID); err != nil {
			return err
		}
	}
	if err := tx.RemoveChunks(ctx, userID, memoryID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM proposals WHERE user_id = ? AND kind = ? AND json_extract(payload, '$.memory_id') = ?", userID, schema.KindProtect, uid); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM memories WHERE id = ?", memoryID); err != nil {
		return err
	}
	if err := tx.PassWatermarks(ctx, userID, memoryID, uid); err != nil {
		return err
	}
	return tx.AuditRow(ctx, userID, by, schema.OpRemove, "memories", memoryID, "", "")
}

func (u *undoer) mention(ctx context.Context, op *schema.Op) error {
	var m struct {
		Entity     string  `json:"entity"`
		Surface    string  `json:"surface"`
		Confidence float64 `json:"confidence"`
	}
	what := op.After
	if op.Operation == schema.OpUnmention {
		what = op.Before
	}
	if err := json.Unmarshal([]byte(what), &m); err != nil {
		return err
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
	case op.Operation == schema.OpMention && linked:
		err = u.tx.Unmention(ctx, op.RecordID, entity)
	case op.Operation == schema.OpUnmention && exists && !linked:
		err = u.tx.Mention(ctx, op.RecordID, entity, m.Surface, m.Confidence)
	}
	if err != nil {
		return err
	}
	return u.mark(ctx, op.RecordID, opUndo)
}

func (u *undoer) merge(ctx context.Context, op *schema.Op) error {
	const into = "(SELECT id FROM entities WHERE uid = json_extract(?2, '$.into'))"
	err := u.exactly(ctx, "was merged elsewhere since", "UPDATE entities SET merged_into = NULL WHERE id = ?1 AND merged_into = "+into, op.RecordID, op.After)
	if err != nil {
		return err
	}
	var whole, mentions int64
	if err := u.tx.Row(ctx, "SELECT mention_count, "+into+" FROM entities WHERE id = ?1", []any{op.RecordID, op.After}, &mentions, &whole); err != nil {
		return err
	}
	if err := u.tx.CountMentions(ctx, whole, -mentions); err != nil {
		return err
	}
	return u.tx.AuditRow(ctx, u.userID, u.by, opUndo, "entities", op.RecordID, "", "") // see [schema.Snapshot.Merged]
}

func (u *undoer) watermark(ctx context.Context, op *schema.Op) error {
	var before, after struct {
		Name    string `json:"name"`
		Through string `json:"through"`
	}
	if err := errors.Join(json.Unmarshal([]byte(op.Before), &before), json.Unmarshal([]byte(op.After), &after)); err != nil {
		return err
	}
	if before.Through == "" {
		return u.exactly(ctx, "a later run went on from there", `DELETE FROM watermarks WHERE user_id = ? AND name = ?
			AND through = (SELECT id FROM memories WHERE uid = ?)`, u.userID, after.Name, after.Through)
	}
	return u.exactly(ctx, "a later run went on from there", `UPDATE watermarks SET through = coalesce((SELECT id FROM memories WHERE uid = ?), 0)
		WHERE user_id = ? AND name = ? AND through = (SELECT id FROM memories WHERE uid = ?)`, before.Through, u.userID, after.Name, after.Through)
}

func (u *undoer) gap(ctx context.Context, op *schema.Op) error {
	switch {
	case op.Before == "": // opened
		return u.exactly(ctx, "was tried again since", "DELETE FROM gaps WHERE id = ? AND user_id = ? AND attempts = CAST(json_extract(?, '$.attempts') AS BIGINT)", op.RecordID, u.userID, op.After)
	case op.After == "": // closed
		_, err := u.tx.Exec(ctx, `INSERT INTO gaps (id, uid, user_id, stage, memories, attempts, last_error, created_at)
			VALUES (coalesce(nullif(?1, 0), `+u.tx.UnusedID("gaps")+`), json_extract(?2, '$.uid'), ?3, json_extract(?2, '$.stage'), json_extract(?2, '$.memories'),
				CAST(json_extract(?2, '$.attempts') AS BIGINT), json_extract(?2, '$.last_error'), CAST(json_extract(?2, '$.created_at') AS BIGINT)) ON CONFLICT DO NOTHING`,
			op.RecordID, op.Before, u.userID)
		return err
	default:
		return u.exactly(ctx, "was tried again since", `UPDATE gaps SET attempts = CAST(json_extract(?2, '$.attempts') AS BIGINT), last_error = json_extract(?2, '$.last_error')
			WHERE id = ?1 AND user_id = ?4 AND attempts = CAST(json_extract(?3, '$.attempts') AS BIGINT)`, op.RecordID, op.Before, op.After, u.userID)
	}
}

// block reverses a change of core memory and keeps later changes.
func (u *undoer) block(ctx context.Context, op *schema.Op) error {
	b := new(core.Block)
	err := u.tx.NewSelect().Model(b).Where("id = ? AND user_id = ?", op.RecordID, u.userID).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return keptError("was erased since")
	}
	if err != nil {
		return err
	}
	var made struct{ Version int64 }
	if err := json.Unmarshal([]byte(op.After), &made); err != nil {
		return err
	}
	err = core.Undo(ctx, u.tx, b, nil, made.Version, "", u.by)
	if _, nothing := errors.AsType[*schema.InvalidError](err); nothing {
		return nil // somebody took it out
	}
	if errors.Is(err, schema.ErrConflict) || errors.Is(err, schema.ErrNotFound) {
		return keptError("was changed since")
	}
	return err
}
