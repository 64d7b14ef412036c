package extension

import (
	"cmp"
	"context"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// Text that reads like instructions to a model and is not the user's own is
// quarantined when it is stored: explicit searches find it, marked as such, but it
// is never injected automatically and never consolidated. A host can list and
// release it.

// Quarantined lists a user's quarantined memories, newest first, at most limit; 0
// means 50. The attribute "quarantine" of each holds the reason.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Quarantined(ctx context.Context, scope Scope, limit int) ([]Record, error) {
	if limit < 0 {
		return nil, &InvalidError{Field: "limit", Reason: "is negative"}
	}
	records := []Record{}
	err := x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		found, err := s.Quarantined(ctx, userID, cmp.Or(limit, inspect.DefaultLimit))
		records = append(records[:0], found...)
		return err
	})
	return records, err
}

// Release releases a memory from quarantine: it is treated like any other of its
// origin and trust, and is not inspected again. The next night extracts from a message
// that a night has set aside. The audit records it.
//
// Errors: [ErrNotFound] for an id that is not this user's; [*InvalidError] for a
// memory that is not quarantined; [ErrConflict] if it has changed meanwhile.
func (x *Extension) Release(ctx context.Context, scope Scope, id string) error {
	return x.db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m, err := tx.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		by := schema.Actor{Name: "host"}
		if err := tx.Release(ctx, m, by); err != nil || m.Kind != schema.KindEpisode || m.Role != "user" || !consolidate.Showable(m) {
			return err
		}
		stage := consolidate.Extract{}.Name()
		through, err := tx.Watermark(ctx, userID, stage)
		if err != nil || through < m.ID {
			return err
		}
		return tx.OpenGap(ctx, userID, stage, []string{m.UID}, "it was quarantined", by)
	})
}
