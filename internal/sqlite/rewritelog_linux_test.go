package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A forked process holds the descriptors of its parent, and the locks on them, until it
// runs its program. If the parent closes a memory meanwhile, the index that a killed
// process left looks as if it was in use.
func TestIndexOfARewrittenLog(t *testing.T) {
	killed := open(t, Options{NoCheckpoint: true})
	require.NoError(t, killed.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, "old") }))
	path := filepath.Join(t.TempDir(), "memory.db")
	for _, suffix := range [...]string{"", "-wal", "-shm"} {
		raw, err := os.ReadFile(killed.Path() + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+suffix, raw, 0o600))
	}

	reader, err := Open(t.Context(), path, Config{Options: Options{ReadOnly: true}, Format: testFormat})
	require.NoError(t, err)
	require.Equal(t, 1, count(t, reader, "old"))
	inherit(t, path+"-shm")
	require.NoError(t, reader.Close())

	db, err := Open(t.Context(), path, Config{Format: testFormat})
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, "new") }))
	require.Equal(t, 1, count(t, db, "old"))
	require.Equal(t, 1, count(t, db, "new"))
	require.NoError(t, db.Close())
}

// inherit duplicates the open descriptors of a file, as a fork does, until the test
// ends.
func inherit(t *testing.T, path string) {
	t.Helper()
	const folder = "/proc/self/fd"
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	file, err := os.Stat(path)
	require.NoError(t, err)
	found := false
	for _, e := range entries {
		open, err := os.Stat(filepath.Join(folder, e.Name()))
		if err != nil || !os.SameFile(open, file) {
			continue
		}
		fd, err := strconv.Atoi(e.Name())
		require.NoError(t, err)
		fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, unix.Close(fd)) })
		found = true
	}
	require.True(t, found, "the index is not open")
}
