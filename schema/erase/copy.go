package erase

import (
	"context"
	"fmt"

	"github.com/ebbmem/ebb/schema"
)

// Copy copies what erasures left in a database and exports do not hold: the receipts, and
// the tombstones of users who were erased entirely. Other users have to be in both. What is
// there already stays.
//
// Errors: [schema.ErrConflict] if an erasure is not finished; those of [schema.DB.Write].
func Copy(ctx context.Context, from, to *schema.DB) error {
	left, err := schema.Get(ctx, from, func(ctx context.Context, s *schema.Snapshot) ([]leftover, error) {
		return schema.List(ctx, s.Query, func(l *leftover) []any {
			return []any{&l.userID, &l.owner.Tenant, &l.owner.User, &l.created, &l.uid, &l.everything, &l.state, &l.actor, &l.asked, &l.finished, &l.receipt}
		}, `SELECT u.id, u.tenant, u.name, u.created_at, e.uid, e.everything, e.state, e.actor, e.asked_at, e.finished_at, e.receipt
			FROM erasures e JOIN users u ON u.id = e.user_id ORDER BY e.id`)
	})
	if err != nil {
		return err
	}
	for i := range left {
		if err := left[i].copy(ctx, from, to); err != nil {
			return err
		}
	}
	return nil
}

// leftover is an erasure with its user.
type leftover struct {
	userID            int64
	owner             schema.Scope // without a name if the user was erased
	created           schema.Time
	uid, actor, state string
	everything        int64
	asked, finished   schema.Time
	receipt           string
}

func (l *leftover) copy(ctx context.Context, from, to *schema.DB) error {
	if l.state != string(Logged) && l.state != string(Done) {
		return fmt.Errorf("an erasure is not finished; open the memory that is copied for writing, then repeat: %w", schema.ErrConflict)
	}
	var userID int64
	err := to.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		if l.owner.User == "" {
			if _, err := tx.Exec(ctx, "INSERT INTO users (tenant, name, created_at) VALUES (?, '', ?) ON CONFLICT DO NOTHING", l.owner.Tenant, l.created); err != nil {
				return err
			}
		}
		if err := tx.Row(ctx, "SELECT id FROM users WHERE tenant = ? AND name = ?", []any{l.owner.Tenant, l.owner.User}, &userID); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO erasures (uid, user_id, everything, state, actor, asked_at, finished_at, receipt) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			l.uid, userID, l.everything, l.state, l.actor, l.asked, l.finished, l.receipt)
		return err
	})
	if err != nil || l.owner.User != "" {
		return err
	}
	return l.copyTombstones(ctx, from, to, userID)
}

// copyTombstones copies the tombstones of a user without a name, some at a time.
func (l *leftover) copyTombstones(ctx context.Context, from, to *schema.DB, userID int64) error {
	const most = 4 * batchSize
	type tombstone struct {
		hash string
		at   schema.Time
	}
	for after, more := "", true; more; {
		page, err := schema.Get(ctx, from, func(ctx context.Context, s *schema.Snapshot) ([]tombstone, error) {
			return schema.List(ctx, s.Query, func(t *tombstone) []any { return []any{&t.hash, &t.at} },
				"SELECT id_hash, erased_at FROM tombstones WHERE user_id = ? AND id_hash > ? ORDER BY id_hash LIMIT ?", l.userID, after, most)
		})
		if err != nil || len(page) == 0 {
			return err
		}
		after, more = page[len(page)-1].hash, len(page) == most
		if err := to.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			for _, t := range page {
				if _, err := tx.AddTombstone(ctx, userID, t.hash, t.at); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
