package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program learns that its file was taken away, and what took its place is left alone.
func TestAMovedFileIsNoticed(t *testing.T) {
	own, err := NewKey(bytes.Repeat([]byte{7}, KeySize))
	require.NoError(t, err)
	for _, key := range []Key{{}, own} {
		path := filepath.Join(t.TempDir(), "memory.db")
		db, err := Open(t.Context(), path, Config{Options: Options{Key: key}, Format: testFormat})
		require.NoError(t, err)
		store := func(name string) error {
			return db.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, name) })
		}
		require.NoError(t, store("before"))
		require.NoError(t, db.Checkpoint(t.Context()))
		other := filepath.Join(t.TempDir(), "other.db")
		_, err = db.Backup(t.Context(), other, nil)
		require.NoError(t, err)
		instead, err := os.ReadFile(other)
		require.NoError(t, err)

		aside := path + ".aside"
		require.NoError(t, os.Rename(path, aside))
		require.NoError(t, os.Rename(other, path))
		n := 0
		require.Eventually(t, func() bool {
			n++
			err = store(fmt.Sprint("after ", n))
			return err != nil
		}, time.Minute, 10*time.Millisecond)
		require.ErrorIs(t, err, ErrIO)
		require.ErrorContains(t, err, "put it back")
		require.Contains(t, fmt.Sprint(db.Faults()), "moved")
		require.ErrorContains(t, db.Checkpoint(t.Context()), "put it back")
		require.ErrorContains(t, db.TruncateLog(t.Context()), "put it back")

		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(instead, after))
		require.NoError(t, os.Rename(path, other))
		require.NoError(t, os.Rename(aside, path))
		require.NoError(t, store("back"))
		require.Eventually(t, func() bool { return len(db.Faults()) == 0 }, time.Minute, 10*time.Millisecond)

		require.NoError(t, os.Rename(path, aside))
		require.NoError(t, os.Rename(other, path))
		var read func(depth int) error // by connections of which some are new, and read the other file
		read = func(depth int) error {
			return db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
				var n int
				_ = s.Row(ctx, "SELECT count(*) FROM notes", nil, &n)
				if depth > 1 {
					return read(depth - 1)
				}
				return nil
			})
		}
		_ = read(4)
		require.ErrorContains(t, db.Close(), "put it back")
		after, err = os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(instead, after))

		require.NoError(t, os.Rename(aside, path))
		db, err = Open(t.Context(), path, Config{Options: Options{Key: key}, Format: testFormat})
		require.NoError(t, err)
		require.Equal(t, 1, count(t, db, "back"))
		require.NoError(t, db.Close())
	}
}
