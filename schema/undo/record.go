package undo

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

// Change is one change that a person makes, with the reason, as the ledger of runs
// has it.
type Change struct {
	Kind   string // what was done, such as "correct"
	Memory string // the public id of the memory or proposal it is about
	Reason string
	// RunID is the run that takes the change back ([Run]). It is set by the write; ""
	// if nothing was changed.
	RunID string
}

// Record returns a context whose next write is recorded as a run of cause
// [schema.CauseHost], so that [Run] takes all of it back. A run that the write
// itself begins is extended, and so is that of a change recorded inside another.
func Record(ctx context.Context, c *Change) context.Context {
	record := schema.Wrapper(c.record)
	if outer, nested := ctx.Value(recordKey{}).(schema.Wrapper); nested {
		record = func(ctx context.Context, tx *schema.Tx, write func() error) error {
			return outer(ctx, tx, func() error { return c.record(ctx, tx, write) })
		}
	}
	return schema.Around(context.WithValue(ctx, recordKey{}, record), record)
}

type recordKey struct{}

func (c *Change) record(ctx context.Context, tx *schema.Tx, write func() error) error {
	c.RunID = ""
	var last, userID, runID int64
	if err := tx.Row(ctx, "SELECT coalesce(max(id), 0) FROM ops", nil, &last); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	err := tx.Row(ctx, "SELECT user_id, coalesce(max(run_id), 0) FROM ops WHERE id > ? GROUP BY user_id", []any{last}, &userID, &runID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if runID == 0 {
		uid, err := uuid.NewV7()
		if err != nil {
			return err
		}
		if runID, err = tx.BeginRun(ctx, userID, uid.String(), schema.CauseHost); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "UPDATE ops SET run_id = ? WHERE id > ? AND run_id IS NULL", runID, last); err != nil {
		return err
	}
	if err := tx.EndRun(ctx, runID, schema.CauseHost, map[string]any{"kind": c.Kind, "memory": c.Memory, "status": "applied", "reason": c.Reason}); err != nil {
		return err
	}
	return tx.Row(ctx, "SELECT uid FROM runs WHERE id = ?", []any{runID}, &c.RunID)
}

// questioned is the memory of the pending proposal ?1, if that is a [schema.Question].
const questioned = `(SELECT m.id FROM proposals p JOIN memories m ON m.user_id = p.user_id AND m.uid = json_extract(p.payload, '$.memory_id')
	WHERE p.id = ?1 AND p.kind = '` + schema.KindProtect + `' AND p.state = 'pending')`

// decision makes a decided proposal pending again. The memory that a question is about
// does not decay meanwhile.
func (u *undoer) decision(ctx context.Context, op *schema.Op) error {
	err := u.exactly(ctx, "was decided again since", `UPDATE proposals SET state = 'pending', decided_at = NULL, decided_by = ''
		WHERE id = ? AND user_id = ? AND state = json_extract(?, '$.state')`, op.RecordID, u.userID, op.After)
	if err != nil {
		return err
	}
	// See [schema.Tx.Hold] and [schema.Tx.LetGo].
	_, err = u.tx.Exec(ctx, `UPDATE memories SET decay_rate = 0, last_accessed = CASE WHEN last_accessed = ?2 AND json_type(?3, '$.last_accessed') IN ('integer', 'null')
		THEN CAST(json_extract(?3, '$.last_accessed') AS BIGINT) ELSE last_accessed END WHERE id = `+questioned, op.RecordID, op.At.UnixMilli(), op.Before)
	return err
}
