package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/files"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// backedUp is a memory of one fact, its backup, and a later fact.
func backedUp(t *testing.T) (db *schema.DB, backup string, early, late *schema.Memory) {
	t.Helper()
	db = open(t)
	early = memtest.Remember(t, db, ada, schema.Memory{Content: "Ada lives in Lisbon"})
	backup = filepath.Join(t.TempDir(), "b.db")
	_, err := db.Backup(t.Context(), backup, nil)
	require.NoError(t, err)
	return db, backup, early, memtest.Remember(t, db, ada, schema.Memory{Content: "Ada likes tea"})
}

func contents(t *testing.T, path string) []string {
	t.Helper()
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	return memoryTexts(t, db)
}

func TestRestoreToNewPath(t *testing.T) {
	_, backup, early, _ := backedUp(t)
	target := filepath.Join(t.TempDir(), "memory.db")
	report, err := schema.Restore(t.Context(), backup, target, false, nil, nil)
	require.NoError(t, err)
	require.Empty(t, report.SetAside)
	require.Equal(t, []string{early.Content}, contents(t, target))
	info, err := os.Stat(target)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestRestoreReplace(t *testing.T) {
	db, backup, early, late := backedUp(t)
	require.NoError(t, db.Close())
	_, err := schema.Restore(t.Context(), backup, db.Path(), false, nil, nil)
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, []string{early.Content, late.Content}, contents(t, db.Path()))

	for _, aside := range []string{".before-restore", ".before-restore-2"} {
		report, err := schema.Restore(t.Context(), backup, db.Path(), true, nil, nil)
		require.NoError(t, err)
		require.Equal(t, db.Path()+aside, report.SetAside)
		require.Equal(t, []string{early.Content}, contents(t, db.Path()))
	}
	require.Equal(t, []string{early.Content, late.Content}, contents(t, db.Path()+".before-restore"))
}

// The log of the old file is not taken for that of the restored one, and stays
// with the old.
func TestRestoreMovesTheLog(t *testing.T) {
	db, backup, early, late := backedUp(t)
	// What a killed process leaves: the late fact stands in the log alone.
	crashed := filepath.Join(t.TempDir(), "memory.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(db.Path() + suffix)
		require.NoError(t, err)
		require.NotEmpty(t, content)
		require.NoError(t, os.WriteFile(crashed+suffix, content, 0o600))
	}
	report, err := schema.Restore(t.Context(), backup, crashed, true, nil, nil)
	require.NoError(t, err)
	require.NoFileExists(t, crashed+"-wal")
	require.Equal(t, []string{early.Content}, contents(t, crashed))
	require.Equal(t, []string{early.Content, late.Content}, contents(t, report.SetAside))
}

func TestRestoreWithoutHardLinks(t *testing.T) {
	files.WithoutLinks(t)
	t.Run("to a new path", TestRestoreToNewPath)
	t.Run("replace", TestRestoreReplace)
	t.Run("the log", TestRestoreMovesTheLog)
}

func TestRestoreOverADamagedFile(t *testing.T) {
	db, backup, early, _ := backedUp(t)
	require.NoError(t, db.Close())
	require.NoError(t, os.WriteFile(db.Path(), []byte(strings.Repeat("rot", 5000)), 0o600))
	report, err := schema.Restore(t.Context(), backup, db.Path(), true, nil, nil)
	require.NoError(t, err)
	require.FileExists(t, report.SetAside)
	require.Equal(t, []string{early.Content}, contents(t, db.Path()))
}

// A file that somebody has open is not pulled away from under them, and a bad
// backup replaces nothing.
func TestRestoreRefuses(t *testing.T) {
	db, backup, early, late := backedUp(t)
	_, err := schema.Restore(t.Context(), backup, db.Path(), true, nil, nil)
	require.ErrorIs(t, err, schema.ErrBusy)
	require.NoError(t, db.Close())

	for _, version := range []int{1, 999} { // [schema.Open] would refuse them
		other := filepath.Join(t.TempDir(), "other.db")
		_, err = schema.Backup(t.Context(), db.Path(), other, nil, nil)
		require.NoError(t, err)
		memtest.Spoil(t, other, fmt.Sprintf("PRAGMA user_version = %d", version))
		for _, target := range []string{db.Path(), filepath.Join(t.TempDir(), "new.db")} {
			_, err = schema.Restore(t.Context(), other, target, target == db.Path(), nil, nil)
			require.ErrorAs(t, err, new(*schema.VersionError))
		}
		require.Equal(t, []string{early.Content, late.Content}, contents(t, db.Path()))
	}

	require.NoError(t, os.Truncate(backup, 8192))
	_, err = schema.Restore(t.Context(), backup, db.Path(), true, nil, nil)
	require.ErrorIs(t, err, schema.ErrCorrupt)
	require.Equal(t, []string{early.Content, late.Content}, contents(t, db.Path()))

	var invalid *schema.InvalidError
	_, err = schema.Restore(t.Context(), db.Path(), db.Path(), true, nil, nil)
	require.ErrorAs(t, err, &invalid)
	_, err = schema.Restore(t.Context(), db.Path(), filepath.Dir(db.Path()), true, nil, nil)
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, []string{filepath.Base(db.Path())}, names(t, filepath.Dir(db.Path())))
}

func memoryTexts(t *testing.T, db *schema.DB) (texts []string) {
	t.Helper()
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		return s.NewRaw("SELECT content FROM memories ORDER BY id").Scan(ctx, &texts)
	})
	return texts
}
