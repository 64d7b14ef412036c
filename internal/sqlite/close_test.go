package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A write that is queued after writeLoop has taken its last group must not wait
// without end.
func TestWriteQueuedTooLate(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), Config{Format: testFormat})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	for range 32 { // whether it is queued at all is a matter of chance
		require.ErrorIs(t, db.wait(&write{ctx: t.Context(), done: make(chan struct{})}), ErrClosed)
	}
}
