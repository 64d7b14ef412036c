package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ebbmem/ebb/internal/sqlite"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// More than a connection may hold: what a damaged length makes SQLite ask for.
const tooMuch = "SELECT hex(zeroblob(200000000))"

func TestRunningOutOfMemoryIsAnError(t *testing.T) {
	db, err := sqlite.OpenSQLite("file:"+filepath.Join(t.TempDir(), "x.db")+"?mode=rwc", false, func(*sqlite3.Conn) error { return nil })
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var text string
	require.ErrorIs(t, db.QueryRowContext(t.Context(), tooMuch).Scan(&text), schema.ErrCorrupt)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE t AS "+tooMuch)
	require.ErrorIs(t, err, schema.ErrCorrupt)
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT 'well again'").Scan(&text))
	require.Equal(t, "well again", text)
}

func TestReadingAndWritingContinue(t *testing.T) {
	db := open(t)
	for range 10 { // more than there are connections
		require.ErrorIs(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			var text string
			return s.Row(ctx, tooMuch, nil, &text)
		}), schema.ErrCorrupt)
		require.ErrorIs(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.Exec(ctx, "CREATE TABLE t AS "+tooMuch)
			return err
		}), schema.ErrCorrupt)
	}
	_, err := memtest.Say(t.Context(), db, schema.Scope{User: "ada"}, "well again")
	require.NoError(t, err)
	require.Equal(t, 1, memories(t, db))
}

// A user missing from the damaged index would be created again, without memories.
func TestOpenRefusesADamagedListOfUsers(t *testing.T) {
	db := open(t)
	_, err := memtest.Say(t.Context(), db, schema.Scope{User: "ada"}, "something")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	memtest.Spoil(t, db.Path(), "PRAGMA writable_schema = on; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'entities_by_user') WHERE name = 'sqlite_autoindex_users_1'")
	for _, readOnly := range []bool{false, true} {
		_, err = schema.Open(t.Context(), db.Path(), &schema.Options{ReadOnly: readOnly})
		require.ErrorIs(t, err, schema.ErrCorrupt)
	}
}

// What only a file whose rows contradict each other brings about is an error;
// a panic that somebody meant goes on.
func TestGuardRuntimePanics(t *testing.T) {
	none := -1
	require.ErrorIs(t, schema.Guard(func() { _ = 1 << none }), schema.ErrCorrupt)
	require.NoError(t, schema.Guard(func() {}))
	require.PanicsWithValue(t, "meant", func() { _ = schema.Guard(func() { panic("meant") }) })
}
