package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"
)

// Every SQLite error gets one of the package's names or a neutral text, and keeps
// its code for errors.Is. None repeats SQLite's message.
func TestFaultsOfSQLite(t *testing.T) {
	db := &DB{path: t.TempDir(), opts: Config{}.withDefaults()}
	for code := sqlite3.ErrorCode(1); code <= 26; code++ {
		for _, cause := range []error{code, sqlite3.ExtendedErrorCode(code) | 1<<8, fmt.Errorf("read a page: %w", errors.Join(code, fs.ErrInvalid))} {
			err := db.classify(cause)
			if errors.Is(cause, sqlite3.INTERRUPT) {
				require.ErrorContains(t, err, "context canceled")
			}
			require.NotContains(t, err.Error(), "sqlite3:")
			require.NotContains(t, err.Error(), strings.TrimPrefix(code.Error(), "sqlite3: "))
			require.ErrorIs(t, err, code)
			require.Equal(t, err, db.classify(err), "nothing is named twice")
		}
	}
	for code, kind := range map[error]error{
		sqlite3.ERROR: ErrCorrupt, sqlite3.NOMEM: ErrCorrupt, sqlite3.SCHEMA: ErrCorrupt, sqlite3.MISMATCH: ErrCorrupt, sqlite3.CORRUPT_VTAB: ErrCorrupt,
		sqlite3.NOTADB: ErrNotDatabase, sqlite3.READONLY_DBMOVED: ErrReadOnly, sqlite3.BUSY_SNAPSHOT: ErrBusy, sqlite3.PROTOCOL: ErrBusy,
		sqlite3.FULL: ErrDiskFull, sqlite3.IOERR_FSYNC: ErrIO, sqlite3.CONSTRAINT_UNIQUE: ErrCorrupt, sqlite3.CONSTRAINT_NOTNULL: ErrCorrupt,
	} {
		err := db.classify(code)
		require.ErrorIs(t, err, kind, code.Error())
	}
	require.EqualError(t, db.classify(fmt.Errorf("commit: %w", sqlite3.CORRUPT_INDEX)), "the database file is damaged (commit: SQLite code 779)")
	require.EqualError(t, Refused("text", sqlite3.CONSTRAINT_CHECK), "text breaks a rule of the database: SQLite code 275")
}
