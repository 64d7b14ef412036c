package schema_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// Open migrates a file without a schema when it may write, once.
func TestOpenMigratesAFileWithoutASchema(t *testing.T) {
	pgtest.FileOnly(t, "its migrations")
	path := filepath.Join(t.TempDir(), "memory.db")
	exec1(t, path, "PRAGMA journal_mode = wal; PRAGMA application_id = 1700946481")
	_, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
	require.ErrorIs(t, err, schema.ErrReadOnly, "looking changes nothing")
	for range 2 { // once more: nothing is left to do
		db, err := schema.Open(t.Context(), path, nil)
		require.NoError(t, err)
		_, err = memtest.Say(t.Context(), db, ada, "still here")
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
}

func TestOpenRefusesUnreleasedVersions(t *testing.T) {
	pgtest.FileOnly(t, "its migrations")
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	for _, found := range []int{1, 9} {
		exec1(t, path, fmt.Sprint("PRAGMA user_version = ", found))
		_, err = schema.Open(t.Context(), path, nil)
		var version *schema.VersionError
		require.ErrorAs(t, err, &version)
		require.Equal(t, found, version.Found)
		require.ErrorContains(t, err, "export the memory with that ebb")
	}
}
