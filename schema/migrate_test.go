package schema_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A file of version 1 is what the first migration alone makes.
func TestAFileOfVersionOneIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	first, err := os.ReadFile("migrations/20260301000000_init.up.sql")
	require.NoError(t, err)
	old, err := driver.Open("file:"+path, fts5.Register)
	require.NoError(t, err)
	_, err = old.ExecContext(t.Context(), "PRAGMA journal_mode = wal; "+string(first)+`
		PRAGMA application_id = 1700946481; PRAGMA user_version = 1;
		CREATE TABLE bun_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR UNIQUE, group_id INTEGER, migrated_at TIMESTAMP NOT NULL DEFAULT current_timestamp);
		CREATE TABLE bun_migration_locks (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name VARCHAR UNIQUE);
		INSERT INTO bun_migrations (name, group_id) VALUES ('20260301000000', 1);
		INSERT INTO users (id, tenant, name, created_at, extracted_through, nights_through) VALUES (1, '', 'ada', 5, 17, '2026-03-01'), (2, '', 'ben', 5, 0, '');
		INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES ('r1', 1, 'night', 'done', 6);`)
	require.NoError(t, err)
	require.NoError(t, old.Close())
	_, err = schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
	require.ErrorIs(t, err, schema.ErrReadOnly, "looking changes nothing")
	for range 2 { // once more: nothing is left to do
		db, err := schema.Open(t.Context(), path, nil)
		require.NoError(t, err)
		read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			through, err := s.Watermark(ctx, 1, "extract")
			require.EqualValues(t, 17, through)
			if err != nil {
				return err
			}
			through, err = s.Watermark(ctx, 2, "extract")
			require.Zero(t, through)
			if err != nil {
				return err
			}
			run, err := s.LastRun(ctx, 1)
			require.Equal(t, "r1", run.UID)
			require.Zero(t, run.Faults)
			return err
		})
		_, err = store(t.Context(), db, ada, "still here")
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
}

// FTS5 begins a merge with four segments and goes on with it in later commits;
// from version 6 on none begins with fewer than eight.
func TestAMergeThatAnOldFileHasBegunIsEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	old, err := driver.Open("file:"+path, fts5.Register)
	require.NoError(t, err)
	names, err := filepath.Glob("migrations/*.up.sql")
	require.NoError(t, err)
	statements := "PRAGMA journal_mode = wal;"
	applied := ""
	for _, name := range names[:5] {
		one, err := os.ReadFile(name)
		require.NoError(t, err)
		stamp, _, _ := strings.Cut(filepath.Base(name), "_")
		statements, applied = statements+string(one), applied+"INSERT INTO bun_migrations (name, group_id) VALUES ('"+stamp+"', 1);"
	}
	_, err = old.ExecContext(t.Context(), statements+`
		PRAGMA application_id = 1700946481; PRAGMA user_version = 5;
		CREATE TABLE bun_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR UNIQUE, group_id INTEGER, migrated_at TIMESTAMP NOT NULL DEFAULT current_timestamp);
		CREATE TABLE bun_migration_locks (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name VARCHAR UNIQUE);`+applied+`
		INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('automerge', 0);`)
	require.NoError(t, err)
	for i := range 4 {
		var words strings.Builder
		for j := range 300 {
			fmt.Fprintf(&words, "%c%dx%d ", 'b'+j%25, j, i)
		}
		_, err = old.ExecContext(t.Context(), "INSERT INTO chunks_fts (rowid, text, speaker) VALUES (?, ?, '')", i+1, words.String())
		require.NoError(t, err)
	}
	_, err = old.ExecContext(t.Context(), "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', 1)")
	require.NoError(t, err)
	var n int
	require.NoError(t, old.QueryRowContext(t.Context(), "SELECT count(DISTINCT segid) FROM chunks_fts_idx").Scan(&n))
	require.Equal(t, 5, n, "four, and what they become")
	require.NoError(t, old.Close())

	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.Equal(t, 1, segments(t, db))
	require.NoError(t, db.Close())
}
