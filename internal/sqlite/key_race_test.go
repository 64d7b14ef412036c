package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// When several processes create a file at the same moment with different keys, the
// first key is used, the others get an error, and no file next to it is readable by
// other users or unencrypted.
func TestConcurrentCreateWithTwoKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	names := []string{"one", "two"}
	type end struct {
		db   *schema.DB
		name string
		err  error
	}
	ended := make(chan end)
	for i := range 8 {
		name, with := names[i%2], key(t, names[i%2])
		go func() {
			db, err := schema.Open(t.Context(), path, &schema.Options{Key: with})
			if err == nil {
				_, err = memtest.Say(t.Context(), db, ada, "the zebrafinch of "+name)
			}
			ended <- end{db, name, err}
		}()
	}
	stored := make(map[string]int)
	var refused []error
	for range 8 {
		e := <-ended
		if e.db != nil {
			defer func() { require.NoError(t, e.db.Close()) }()
		}
		if e.err != nil {
			refused = append(refused, e.err)
			continue
		}
		stored[e.name]++
	}
	require.Len(t, stored, 1, "one key is the file's")
	require.Len(t, refused, 4)
	for _, err := range refused {
		require.True(t, errors.Is(err, schema.ErrKeyWrong), "%v", err)
	}
	beside, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.Greater(t, len(beside), 1, "the log is there to be looked at")
	for _, name := range beside {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), filepath.Base(name))
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NotContains(t, string(content), "zebrafinch")
	}
}
