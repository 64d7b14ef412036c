package schema

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

func TestWriterCachesUsers(t *testing.T) {
	pgtest.FileOnly(t, "what its only writer knows")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for range 3 {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			id, err := tx.UserID(ctx, Scope{User: "ada"})
			if err != nil {
				return err
			}
			_, err = tx.SessionID(ctx, id, "monday")
			return err
		}))
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			_, err := tx.Erased(ctx, Scope{User: "ada"}, TombstoneEvent, "1")
			return err
		}))
	}
	var users, sessions int
	var tombstones knowledge
	require.NoError(t, db.Write(t.Context(), func(context.Context, *Tx) error {
		users, sessions, tombstones = db.scopes.users.Len(), db.scopes.sessions.Len(), db.tombstones
		return nil
	}))
	require.Equal(t, 1, users)
	require.Equal(t, 1, sessions)
	require.Equal(t, absent, tombstones)
}
