package schema

import "context"

// ReadUser runs fn on a snapshot with the row id of the user of the completed scope, see
// [DB.Complete], as [DB.Read] does. For an unknown user it does not call fn.
//
// Errors: [*InvalidError] for the scope, those of [DB.Read].
func (db *DB) ReadUser(ctx context.Context, scope Scope, fn func(ctx context.Context, s *Snapshot, userID int64) error) error {
	return db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
		userID, err := s.UserID(ctx, db.Complete(scope))
		if err != nil || userID == 0 {
			return err
		}
		return fn(ctx, s, userID)
	})
}

// WriteUser runs fn in a write with the row id of the user of the completed scope, see
// [DB.Complete], as [DB.Write] does.
//
// Errors: [*InvalidError] for the scope, [ErrNotFound] for an unknown user, those of
// [DB.Write].
func (db *DB) WriteUser(ctx context.Context, scope Scope, fn func(ctx context.Context, tx *Tx, userID int64) error) error {
	return db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		userID, err := tx.KnownUserID(ctx, db.Complete(scope))
		if err != nil {
			return err
		}
		return fn(ctx, tx, userID)
	})
}

// Get returns what read finds on a snapshot, as [DB.Read] does.
func Get[T any](ctx context.Context, db *DB, read func(ctx context.Context, s *Snapshot) (T, error)) (value T, err error) {
	err = db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
		value, err = read(ctx, s)
		return err
	})
	return value, err
}
