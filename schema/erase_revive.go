package schema

import (
	"context"
)

// revive has what a doomed claim took the place of hold again, as if the doomed
// one had never been told: that it ended, and when, is known from the doomed
// one alone. Where a claim that stays took the doomed one's place in turn, it
// is that which took its place.
func (b *batch) revive(ctx context.Context) error {
	ended, err := b.ids(ctx, `SELECT id FROM memories WHERE superseded_by IS NOT NULL AND superseded_by IN (SELECT value FROM json_each(?1))
		AND id NOT IN (SELECT value FROM json_each(?1)) ORDER BY id`, list(b.order))
	if err != nil {
		return err
	}
	for _, id := range ended {
		m := new(Memory)
		if err := b.tx.NewSelect().Model(m).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		heir, err := b.heir(ctx, m.SupersededBy)
		if err != nil {
			return err
		}
		if heir != nil {
			err = b.endBy(ctx, m, heir)
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

// heir is the first claim that stays of those that took each other's place from
// id on; nil when there is none.
func (b *batch) heir(ctx context.Context, id int64) (*Memory, error) {
	for range len(b.order) + 1 {
		m := new(Memory)
		if err := b.tx.NewSelect().Model(m).Where("id = ?", id).Scan(ctx); err != nil {
			return nil, err
		}
		if b.doomed[id] == nil {
			return m, nil
		}
		if id = m.SupersededBy; id == 0 {
			return nil, nil
		}
	}
	return nil, nil // a ring, of nothing that stays
}

func (b *batch) endBy(ctx context.Context, m, heir *Memory) error {
	until := heir.ValidFrom
	if until.Before(m.ValidFrom.Time) {
		until = m.ValidFrom
	}
	if err := b.rewrite(ctx, "memories", "UPDATE memories SET superseded_by = ?, valid_until = ?, expired_at = ?, version = version + 1 WHERE id = ?",
		heir.ID, until, heir.CreatedAt, m.ID); err != nil {
		return err
	}
	if _, err := b.tx.Link(ctx, heir, m, "supersedes", b.by); err != nil {
		return err
	}
	m.Version++
	return b.tx.audit(ctx, m, b.by, "rederive", "", "")
}

// holdAgain gives a claim what it had before it was replaced, as far as nobody
// has changed that since. One that was retired since stays so.
func (b *batch) holdAgain(ctx context.Context, m *Memory) error {
	var before, after string
	err := b.tx.Row(ctx, `SELECT before, after FROM ops WHERE record = 'memories' AND record_id = ? AND operation = 'supersede' AND json_valid(before) AND json_valid(after)
		AND json_extract(after, '$.superseded_by') = ? ORDER BY id DESC LIMIT 1`, []any{m.ID, m.SupersededBy}, &before, &after)
	switch {
	case noRows(err):
		err = b.rewrite(ctx, "memories", `UPDATE memories SET superseded_by = NULL, valid_until = NULL, expired_at = NULL,
			state = CASE state WHEN 'superseded' THEN 'active' ELSE state END, version = version + 1 WHERE id = ?`, m.ID)
	case err == nil:
		err = b.rewrite(ctx, "memories", `UPDATE memories SET superseded_by = NULL, version = version + 1,
			valid_until = CASE WHEN state = 'superseded' THEN json_extract(?2, '$.valid_until') ELSE valid_until END,
			expired_at = CASE WHEN state = 'superseded' THEN json_extract(?2, '$.expired_at') ELSE expired_at END,
			state = CASE state WHEN 'superseded' THEN json_extract(?2, '$.state') ELSE state END,
			confidence = CASE WHEN confidence = json_extract(?3, '$.confidence') THEN json_extract(?2, '$.confidence') ELSE confidence END
			WHERE id = ?1`, m.ID, before, after)
	}
	if err != nil {
		return err
	}
	if m.State == StateSuperseded {
		b.receipt.Revived = append(b.receipt.Revived, m.UID)
	}
	m.Version++
	return b.tx.audit(ctx, m, b.by, "revive", "", "")
}
