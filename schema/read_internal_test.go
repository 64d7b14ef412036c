package schema

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A second connection would read the whole schema for itself.
func TestASnapshotNeedsOneConnection(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	const numbers = "SELECT value FROM json_each(?) ORDER BY value"
	for range 2 {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			rows, err := s.Query(ctx, numbers, "[1, 2, 3]")
			require.NoError(t, err)
			defer rows.Close()
			var all []int
			for rows.Next() {
				var outer, inner int
				require.NoError(t, rows.Scan(&outer))
				// The statement is in use, and is not taken from those who read it.
				require.NoError(t, s.Row(ctx, numbers, []any{"[4]"}, &inner))
				all = append(all, outer, inner)
			}
			require.Equal(t, []int{1, 4, 2, 4, 3, 4}, all)
			return rows.Err()
		}))
	}
	require.Equal(t, 1, db.readers.Stats().OpenConnections)
}

// Not even a read that is cut short leaves its statement taken.
func TestAStatementIsPreparedOnceForAConnection(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
			rows, err := s.Query(ctx, "SELECT value FROM json_each('[1, 2, 3]')")
			require.NoError(t, err)
			require.True(t, rows.Next())
			cancel()
			return ctx.Err()
		})
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		return s.lend(ctx, func(c *guardedConn) error {
			require.LessOrEqual(t, len(c.kept), 1)
			for _, stmt := range c.kept {
				require.False(t, stmt.lent)
			}
			return nil
		})
	}))
}
