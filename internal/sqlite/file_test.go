package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// SQLite keeps the log beside the file that a link leads to.
func TestOpenThroughASymbolicLink(t *testing.T) {
	killed := open(t, Options{NoCheckpoint: true})
	require.NoError(t, killed.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, "old") }))
	for name, c := range map[string]struct{ to, path string }{
		"the file":                {"disk/memory.db", "link"},
		"a link to it":            {"disk/link", "link"},
		"a folder above the file": {"disk", "link/memory.db"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			real := filepath.Join(dir, "disk", "memory.db")
			require.NoError(t, os.Mkdir(filepath.Dir(real), 0o700))
			for _, suffix := range [...]string{"", "-wal", "-shm"} {
				raw, err := os.ReadFile(killed.Path() + suffix)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(real+suffix, raw, 0o600))
			}
			require.NoError(t, os.Chmod(real, 0o640))
			require.NoError(t, os.Symlink("memory.db", filepath.Join(dir, "disk", "link")))
			require.NoError(t, os.Symlink(c.to, filepath.Join(dir, "link")))
			path := filepath.Join(dir, c.path)

			db, err := Open(t.Context(), path, Config{Format: testFormat, Options: Options{NoCheckpoint: true}})
			require.NoError(t, err)
			require.Equal(t, real, db.Path())
			require.NotNil(t, db.leftLog, "the log of the killed process was saved again")
			require.NoError(t, os.Remove(filepath.Join(dir, "link")))
			require.Equal(t, 1, count(t, db, "old"), "a later connection opens the same file")
			require.NoError(t, os.Symlink(c.to, filepath.Join(dir, "link")))
			for _, suffix := range [...]string{"-wal", "-shm"} {
				beside, err := os.Stat(real + suffix)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o640), beside.Mode().Perm(), suffix)
			}
			require.NoError(t, db.WriteMark())
			require.FileExists(t, real+markSuffix)
			require.NoError(t, db.Close())

			db, err = Open(t.Context(), path, Config{Format: testFormat, Options: Options{ReadOnly: true}})
			require.NoError(t, err)
			require.Equal(t, 1, count(t, db, "old"))
			require.NoError(t, db.Close())
			require.Equal(t, []string{"link", "memory.db"}, names(t, filepath.Dir(real)))
			require.Equal(t, []string{"disk", "link"}, names(t, dir))
		})
	}
}

func TestOpenThroughADanglingLink(t *testing.T) {
	dir := t.TempDir()
	link := func(to string) string {
		path := filepath.Join(dir, "link")
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.Symlink(to, path))
		return path
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "disk", "deep"), 0o700))
	require.NoError(t, os.Symlink("deep", filepath.Join(dir, "disk", "folder")))
	require.NoError(t, os.Symlink("folder/../memory.db", filepath.Join(dir, "disk", "next")))
	var invalid *InvalidError

	path := link("disk/folder/../next")
	_, err := Open(t.Context(), path, Config{Format: testFormat, Options: Options{ReadOnly: true}})
	require.ErrorIs(t, err, ErrNotFound)
	db, err := Open(t.Context(), path, Config{Format: testFormat})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.Equal(t, []string{"deep", "folder", "memory.db", "next"}, names(t, filepath.Join(dir, "disk")))

	for to, says := range map[string]string{
		"unmounted/memory.db": "lies in a directory that does not exist: ",
		"link":                "leads back to itself",
		"link/memory.db":      "leads back to itself",
	} {
		_, err := Open(t.Context(), link(to), Config{Format: testFormat})
		require.ErrorAs(t, err, &invalid)
		require.ErrorContains(t, err, says)
		require.Equal(t, []string{"disk", "link"}, names(t, dir))
		_, err = os.Readlink(path)
		require.NoError(t, err)
	}

	backup := filepath.Join(dir, "disk", "memory.db")
	report, err := Restore(t.Context(), backup, link("disk/restored.db"), true, Config{Format: testFormat}, nil)
	require.NoError(t, err)
	require.Empty(t, report.SetAside)
	require.FileExists(t, filepath.Join(dir, "disk", "restored.db"))
	require.Equal(t, []string{"disk", "link"}, names(t, dir))
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
