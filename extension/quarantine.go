package extension

import (
	"cmp"
	"context"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// What reads as if it were written for a model, and is not the user's own, is
// set aside when it is stored: found by who asks for it, marked as what it is,
// never put before a model unasked, never consolidated. A host can look at it
// and let it go.

// Quarantined lists what was set aside, newest first, at most limit; 0 means
// 50. The attribute "quarantine" of each says why.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Quarantined(ctx context.Context, scope Scope, limit int) ([]Record, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if limit < 0 {
		return nil, &InvalidError{Field: "limit", Reason: "is negative"}
	}
	var records []Record
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		records, err = s.Quarantined(ctx, userID, cmp.Or(limit, inspect.DefaultLimit))
		return err
	})
	return records, err
}

// Release lets a memory out of quarantine: it is used from now on like any
// other of its origin and trust, and how it reads is not asked again. The audit
// keeps who was asked for it.
//
// Errors: [ErrNotFound] for an id that is not this user's; [*InvalidError] for a
// memory that is not quarantined; [ErrConflict] when it changed meanwhile.
func (x *Extension) Release(ctx context.Context, scope Scope, id string) error {
	return x.write(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		m, err := tx.Memory(ctx, userID, id)
		if err != nil {
			return err
		}
		return tx.Release(ctx, m, schema.Actor{Name: "host"})
	})
}
