package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// testFormat has the tables that the engine itself needs, and notes with a text
// index.
var testFormat = &Format{
	ApplicationID: 0x74657374, Version: 1, Oldest: 1, TextIndex: "notes_fts", Counted: []string{"notes"},
	Migrations: fstest.MapFS{"20260101000000_init.up.sql": {Data: []byte(`
		CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, text TEXT NOT NULL DEFAULT '');
		CREATE VIRTUAL TABLE notes_fts USING fts5 (text, content = '');
		INSERT INTO notes_fts (notes_fts, rank) VALUES ('secure-delete', 1);
		INSERT INTO notes_fts (notes_fts, rank) VALUES ('automerge', 0);
		INSERT INTO notes_fts (notes_fts, rank) VALUES ('usermerge', 8);
		CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, term INTEGER NOT NULL, expires_at INTEGER NOT NULL);
		CREATE TABLE losses (id INTEGER PRIMARY KEY AUTOINCREMENT, noticed_at INTEGER NOT NULL, marked_at INTEGER NOT NULL, gone TEXT NOT NULL, acknowledged_at INTEGER);
		CREATE TABLE identity (id TEXT NOT NULL);
		INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));`)}},
}

// open opens a new file, and closes it at the end of the test.
func open(t *testing.T, opts Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), Config{Options: opts, Format: testFormat})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// add stores a note.
func add(tx *Tx, name string) error { return tx.Do("INSERT INTO notes (name) VALUES (?)", name) }

// addText stores text in the text index, in a transaction of its own.
func addText(t *testing.T, db *DB, text string) {
	t.Helper()
	require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error {
		tx.TextAdded()
		return tx.Do("INSERT INTO notes_fts (text) VALUES (?)", text)
	}))
}

// count counts the notes of a name.
func count(t *testing.T, db *DB, name string) (n int) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		return s.Row(ctx, "SELECT count(*) FROM notes WHERE name = ?", []any{name}, &n)
	}))
	return n
}

// segments counts the segments of the text index; each flush of FTS5 adds one.
func segments(t *testing.T, db *DB) (n int) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		return s.Row(ctx, "SELECT count(DISTINCT segid) FROM notes_fts_idx", nil, &n)
	}))
	return n
}

// mergeSomePages runs an unfinished step of mergeText.
func mergeSomePages(t *testing.T, db *DB, pages int64) {
	t.Helper()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		return tx.Do("INSERT INTO notes_fts (notes_fts, rank) VALUES ('merge', ?)", pages)
	}))
}

// manyWords are enough for some pages of the text index.
func manyWords(of int) string {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "%c%dx%d ", 'b'+i%25, i, of)
	}
	return b.String()
}
