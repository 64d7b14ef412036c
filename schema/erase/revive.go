package erase

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// revive makes claims that a target had superseded hold again: their end is known
// from the target alone. Where a claim that stays superseded the target in turn, it
// becomes the successor.
func (b *batch) revive(ctx context.Context) error {
	ended, err := b.ids(ctx, `SELECT id FROM memories WHERE superseded_by IS NOT NULL AND superseded_by IN (SELECT CAST(value AS BIGINT) FROM json_each(?1))
		AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?1)) ORDER BY id`, schema.JSONList(b.order))
	if err != nil {
		return err
	}
	for _, id := range ended {
		m := new(schema.Memory)
		if err := b.tx.NewSelect().Model(m).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		successor, err := b.successor(ctx, m.SupersededBy)
		if err != nil {
			return err
		}
		if successor != nil {
			err = b.endBy(ctx, m, successor)
		} else {
			err = b.holdAgain(ctx, m)
		}
		if err != nil {
			return err
		}
		if _, err := b.affected(ctx, "UPDATE ops SET before = '', after = '' WHERE record = 'memories' AND record_id = ? AND operation = 'supersede'", id); err != nil {
			return err
		}
	}
	return nil
}

// successor follows the chain of superseding claims from id to the first one that
// stays; nil when there is none.
func (b *batch) successor(ctx context.Context, id int64) (*schema.Memory, error) {
	for range len(b.order) + 1 {
		m := new(schema.Memory)
		if err := b.tx.NewSelect().Model(m).Where("id = ?", id).Scan(ctx); err != nil {
			return nil, err
		}
		if b.targets[id] == nil {
			return m, nil
		}
		if id = m.SupersededBy; id == 0 {
			return nil, nil
		}
	}
	return nil, nil // a cycle, all of it to be deleted
}

func (b *batch) endBy(ctx context.Context, m, successor *schema.Memory) error {
	until := successor.ValidFrom
	if until.Before(m.ValidFrom.Time) {
		until = m.ValidFrom
	}
	if err := b.rewrite(ctx, "memories", "UPDATE memories SET superseded_by = ?, valid_until = ?, expired_at = ?, version = version + 1 WHERE id = ?",
		successor.ID, until, successor.CreatedAt, m.ID); err != nil {
		return err
	}
	if _, err := b.tx.Link(ctx, successor, m, schema.LinkSupersedes, 1, b.by); err != nil {
		return err
	}
	m.Version++
	return b.tx.Audit(ctx, m, b.by, "rederive", "", "")
}

// holdAgain restores what a claim had before it was superseded, except for columns
// that changed since. A claim that was retired since stays retired.
func (b *batch) holdAgain(ctx context.Context, m *schema.Memory) error {
	var before, after string
	err := b.tx.Row(ctx, `SELECT before, after FROM ops WHERE record = 'memories' AND record_id = ? AND operation = 'supersede' AND json_valid(before) AND json_valid(after)
		AND CAST(json_extract(after, '$.superseded_by') AS BIGINT) = ? ORDER BY id DESC LIMIT 1`, []any{m.ID, m.SupersededBy}, &before, &after)
	switch {
	case noRows(err):
		err = b.rewrite(ctx, "memories", `UPDATE memories SET superseded_by = NULL, valid_until = NULL, expired_at = NULL,
			state = CASE state WHEN 'superseded' THEN 'active' ELSE state END, version = version + 1 WHERE id = ?`, m.ID)
	case err == nil:
		err = b.rewrite(ctx, "memories", `UPDATE memories SET superseded_by = NULL, version = version + 1,
			valid_until = CASE WHEN state = 'superseded' THEN CAST(json_extract(?2, '$.valid_until') AS BIGINT) ELSE valid_until END,
			expired_at = CASE WHEN state = 'superseded' THEN CAST(json_extract(?2, '$.expired_at') AS BIGINT) ELSE expired_at END,
			state = CASE state WHEN 'superseded' THEN json_extract(?2, '$.state') ELSE state END,
			confidence = CASE WHEN confidence = CAST(json_extract(?3, '$.confidence') AS DOUBLE PRECISION) THEN CAST(json_extract(?2, '$.confidence') AS DOUBLE PRECISION) ELSE confidence END
			WHERE id = ?1`, m.ID, before, after)
	}
	if err != nil {
		return err
	}
	if m.State == schema.StateSuperseded {
		b.receipt.Revived = append(b.receipt.Revived, m.UID)
	}
	m.Version++
	return b.tx.Audit(ctx, m, b.by, "revive", "", "")
}
