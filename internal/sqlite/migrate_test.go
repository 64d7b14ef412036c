package sqlite

import (
	"database/sql"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// meanwhile calls a function when the migrations are read: after the version of the file,
// before the write lock.
type meanwhile struct {
	fs.FS

	happens func()
}

func (m meanwhile) Open(name string) (fs.File, error) {
	m.happens()
	return m.FS.Open(name)
}

// A file that a later version migrates meanwhile keeps that version's number.
func TestMigrationKeepsALaterVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(t.Context(), path, Config{Format: testFormat})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	other, err := sql.Open("sqlite3", "file:"+path)
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	next := &Format{
		ApplicationID: testFormat.ApplicationID, Version: 2, Oldest: 1, TextIndex: testFormat.TextIndex, Counted: testFormat.Counted,
		Migrations: meanwhile{testFormat.Migrations, sync.OnceFunc(func() {
			_, err := other.ExecContext(t.Context(), "PRAGMA user_version = 3")
			require.NoError(t, err)
		})},
	}
	_, err = Open(t.Context(), path, Config{Format: next})
	var version *VersionError
	require.ErrorAs(t, err, &version)
	require.Equal(t, 3, version.Found)
	var stored int
	require.NoError(t, other.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&stored))
	require.Equal(t, 3, stored)
}
