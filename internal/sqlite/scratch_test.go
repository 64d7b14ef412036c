package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// beside lists what lies in the folder of a file.
func beside(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestScratchCopy(t *testing.T) {
	db := open(t)
	_, err := memtest.Say(t.Context(), db, ada, "in both")
	require.NoError(t, err)
	scratch, release, err := db.Scratch(t.Context(), ada)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), scratch, ada, "in one")
	require.NoError(t, err)
	require.Equal(t, []string{"in both", "in one"}, memoryTexts(t, scratch))
	require.Equal(t, []string{"in both"}, memoryTexts(t, db))
	info, err := os.Stat(filepath.Dir(scratch.Path()))
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
	require.NoError(t, release())
	require.NotContains(t, beside(t, db.Path()), filepath.Base(filepath.Dir(scratch.Path())))
}

// What a killed process left goes at the next open; what is in use stays.
func TestOpenSweepsAbandonedScratchCopies(t *testing.T) {
	db := open(t)
	used, release, err := db.Scratch(t.Context(), ada)
	require.NoError(t, err)
	// An abandoned one is like it, without its lock.
	abandoned := filepath.Join(filepath.Dir(db.Path()), ".memory.db.scratch-2")
	require.NoError(t, os.Mkdir(abandoned, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(abandoned, "copy.db"), []byte("all that was ever said"), 0o600))
	other := filepath.Join(filepath.Dir(db.Path()), ".another.db.scratch-1")
	require.NoError(t, os.Mkdir(other, 0o700))

	second, err := schema.Open(t.Context(), db.Path(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, second.Close()) }()
	require.NoDirExists(t, abandoned)
	require.DirExists(t, other, "another file's")
	_, err = memtest.Say(t.Context(), used, ada, "goes on")
	require.NoError(t, err)

	next, releaseNext, err := second.Scratch(t.Context(), ada)
	require.NoError(t, err)
	require.NotEqual(t, used.Path(), next.Path())
	require.NoError(t, releaseNext())
	require.NoError(t, release())
}
