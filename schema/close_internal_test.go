package schema

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A write that finds the database open and is queued after the last group has
// been taken must not wait for ever.
func TestWriteQueuedTooLate(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	for range 32 { // whether it is queued at all is a matter of chance
		require.ErrorIs(t, db.wait(&write{ctx: t.Context(), done: make(chan struct{})}), ErrClosed)
	}
}
