package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
)

// A second connection would parse the whole schema again.
func TestASnapshotNeedsOneConnection(t *testing.T) {
	db := open(t, Options{})
	const numbers = "SELECT value FROM json_each(?) ORDER BY value"
	for range 2 {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			rows, err := s.Query(ctx, numbers, "[1, 2, 3]")
			require.NoError(t, err)
			defer rows.Close()
			var all []int
			for rows.Next() {
				var outer, inner int
				require.NoError(t, rows.Scan(&outer))
				// The kept statement is in use; this read prepares another.
				require.NoError(t, s.Row(ctx, numbers, []any{"[4]"}, &inner))
				all = append(all, outer, inner)
			}
			require.Equal(t, []int{1, 4, 2, 4, 3, 4}, all)
			return rows.Err()
		}))
	}
	require.Equal(t, 1, db.readers.Stats().OpenConnections)
}

// A cancelled read makes its statement available again too.
func TestAStatementIsPreparedOnceForAConnection(t *testing.T) {
	db := open(t, Options{})
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
			rows, err := s.Query(ctx, "SELECT value FROM json_each('[1, 2, 3]')")
			require.NoError(t, err)
			require.True(t, rows.Next())
			cancel()
			return ctx.Err()
		})
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		return s.Statements(ctx, func(p *engine.Statements) error {
			require.LessOrEqual(t, len(p.Preparer.(*guardedConn).kept), 1)
			for _, stmt := range p.Preparer.(*guardedConn).kept {
				require.False(t, stmt.inUse)
			}
			return nil
		})
	}))
}

// By default SQLite prepares a statement with LIMIT ? or GLOB ? again for each
// value.
func TestAKeptStatementIsPreparedOnce(t *testing.T) {
	db := open(t, Options{})
	for _, connections := range []*bun.DB{db.readers, db.writer} {
		conn, err := connections.Conn(t.Context())
		require.NoError(t, err)
		require.NoError(t, conn.Raw(func(c any) error {
			stmt, _, err := c.(*guardedConn).Raw().Prepare("SELECT id FROM notes WHERE name GLOB ? LIMIT ?")
			require.NoError(t, err)
			for i := range 3 {
				require.NoError(t, stmt.BindText(1, "user.*"))
				require.NoError(t, stmt.BindInt(2, 1+i))
				require.False(t, stmt.Step())
				require.NoError(t, stmt.Reset())
			}
			require.Zero(t, stmt.Status(sqlite3.STMTSTATUS_REPREPARE, false))
			return stmt.Close()
		}))
		require.NoError(t, conn.Close())
	}
}

func TestIdleReadersAreClosed(t *testing.T) {
	db := open(t, Options{IdleReader: time.Millisecond})
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error { return nil }))
	require.Eventually(t, func() bool { return db.readers.Stats().OpenConnections == 0 }, 30*time.Second, 10*time.Millisecond)
	require.Zero(t, count(t, db, "ada"))
}

// Read connections checkpoint too, and must sync the file.
func TestEveryConnectionSyncs(t *testing.T) {
	db := open(t, Options{})
	for _, connections := range []*bun.DB{db.readers, db.writer} {
		const full = 2
		var synchronous int
		require.NoError(t, connections.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&synchronous))
		require.Equal(t, full, synchronous)
	}
}

// An idle read connection shows other processes that the file is in use.
func TestAReadOnlyDatabaseKeepsItsConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(t.Context(), path, Config{Format: testFormat})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db, err = Open(t.Context(), path, Config{Format: testFormat, Options: Options{ReadOnly: true, IdleReader: time.Millisecond}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error { return nil }))
	time.Sleep(1100 * time.Millisecond) // the pool looks once a second
	require.Equal(t, 1, db.readers.Stats().OpenConnections)
}

// A read keeps its connection when its context ends. Otherwise database/sql rolls back and
// closes it while the read uses it.
func TestAReadKeepsItsConnectionWhenItsContextEnds(t *testing.T) {
	db := open(t, Options{})
	for range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Read(ctx, func(ctx context.Context, s *Snapshot) error {
			go cancel()
			for range 200 {
				_ = s.Statements(context.WithoutCancel(ctx), func(*engine.Statements) error { return nil })
			}
			<-ctx.Done()
			return s.Statements(context.WithoutCancel(ctx), func(*engine.Statements) error { return nil })
		})
		require.NoError(t, err)
	}
	require.Equal(t, 1, db.readers.Stats().OpenConnections)
	require.Zero(t, db.readers.Stats().MaxIdleClosed)
}
