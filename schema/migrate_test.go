package schema_test

import (
	"context"
	"os"
	"path/filepath"
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
