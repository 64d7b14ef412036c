package core_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

var ada = schema.Scope{User: "ada"}

// written runs fn in one write and returns the user's id.
func written(t *testing.T, db *schema.DB, scope schema.Scope, fn func(ctx context.Context, tx *schema.Tx, userID int64) error) int64 {
	t.Helper()
	var userID int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if userID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		return fn(ctx, tx, userID)
	}))
	return userID
}

func read(t *testing.T, db *schema.DB, fn func(ctx context.Context, s *schema.Snapshot) error) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), fn))
}
