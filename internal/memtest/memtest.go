// Package memtest is a test kit: it opens databases of memories, stores
// memories in them and reads them back.
package memtest

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/pgtest"
	_ "github.com/ebbmem/ebb/postgres" // the engine
	"github.com/ebbmem/ebb/schema"
)

// Open opens a new database that is closed at the end of the test.
func Open(t testing.TB, opts ...func(*schema.Options)) *schema.DB {
	t.Helper()
	var options schema.Options
	for _, opt := range opts {
		opt(&options)
	}
	db, err := schema.Open(context.Background(), filepath.Join(t.TempDir(), "memory.db"), &options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// With [pgtest.Engine] in the environment, every memory of a test is on a server; where
// PostgreSQL is not installed, opening one panics.
func init() {
	if !pgtest.Chosen() {
		return
	}
	engine.Redirect = onServer
}

func onServer(path string) string {
	if engine.IsServer(path) {
		return path
	}
	dsn, err := pgtest.At(path, "memory", migrate)
	if err != nil {
		panic(err)
	}
	return dsn
}

// OnServer has the memories that a test opens be on a server from here on. The test is
// skipped where PostgreSQL is not installed, and must not be parallel to others.
func OnServer(t testing.TB) {
	t.Helper()
	Server(t)
	before := engine.Redirect
	engine.Redirect = onServer
	t.Cleanup(func() { engine.Redirect = before })
}

// OnFile is the opposite of [OnServer].
func OnFile(t testing.TB) {
	t.Helper()
	before := engine.Redirect
	engine.Redirect = nil
	t.Cleanup(func() { engine.Redirect = before })
}

// Located returns where the memory of a path is: the path, or the data source name of the
// database that stands for it.
func Located(path string) string {
	if engine.Redirect == nil {
		return path
	}
	return engine.Redirect(path)
}

// Server returns the data source name of a new memory on a server.
func Server(t testing.TB) string {
	t.Helper()
	return pgtest.Database(t, "memory", migrate)
}

func migrate(dsn string) error {
	db, err := schema.Open(context.Background(), dsn, nil)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return pgtest.Exec(dsn+"&search_path=ebb", asInAFile)
}

// asInAFile is what tests alone ask of SQLite: the names of tables and columns, and
// functions.
const asInAFile = `
CREATE VIEW sqlite_schema AS SELECT 'table' AS type, tablename::text AS name FROM pg_tables WHERE schemaname = 'ebb' AND tablename NOT IN ('numbering', 'ebb_version');
CREATE FUNCTION pragma_table_info(text) RETURNS TABLE (name text) LANGUAGE sql AS
	$$SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'ebb' AND table_name = $1 AND column_name <> 'writer' ORDER BY ordinal_position$$;
CREATE VIEW pragma_foreign_key_check AS SELECT '' AS "table", '' AS parent WHERE false;
CREATE FUNCTION quote(anyelement) RETURNS text LANGUAGE sql AS $$SELECT coalesce(quote_literal($1::text), 'NULL')$$;
CREATE FUNCTION group_concat_add(text, text, text) RETURNS text LANGUAGE sql AS
	$$SELECT CASE WHEN $1 IS NULL THEN $2 WHEN $2 IS NULL THEN $1 ELSE $1 || $3 || $2 END$$;
CREATE AGGREGATE group_concat(text, text) (SFUNC = group_concat_add, STYPE = text)`

// Spoil runs statements on a closed file as another program would, past everything that
// keeps it in order.
func Spoil(t testing.TB, path, statements string) {
	t.Helper()
	if pgtest.Chosen() {
		require.NoError(t, pgtest.Exec(Located(path)+"&search_path=ebb", statements))
		return
	}
	db, err := driver.Open("file:"+path, fts5.Register)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// Remember stores a memory of the scope's user: by default an episode of the
// user's own words, at the highest trust.
func Remember(t testing.TB, db *schema.DB, scope schema.Scope, m schema.Memory) *schema.Memory {
	t.Helper()
	m.Kind = cmp.Or(m.Kind, schema.KindEpisode)
	if m.Origin == "" {
		m.Origin, m.Trust = schema.OriginUser, schema.MaxTrust
	}
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		return tx.InsertMemory(ctx, &m, schema.PrepareChunks(m.Content, m.Speaker))
	}))
	return &m
}

// Say stores what Ada says in the scope's session.
func Say(ctx context.Context, db *schema.DB, scope schema.Scope, content string) (m *schema.Memory, err error) {
	chunks := schema.PrepareChunks(content, "Ada")
	err = db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		session, err := tx.SessionID(ctx, user, scope.Session)
		if err != nil {
			return err
		}
		m = &schema.Memory{UserID: user, SessionID: session, Kind: schema.KindEpisode, Speaker: "Ada", Content: content,
			Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
		return tx.InsertMemory(ctx, m, chunks)
	})
	return m, err
}

// Write runs fn in one write and returns the user's id.
func Write(t testing.TB, db *schema.DB, scope schema.Scope, fn func(ctx context.Context, tx *schema.Tx, userID int64) error) int64 {
	t.Helper()
	var userID int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if userID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		return fn(ctx, tx, userID)
	}))
	return userID
}

// Read runs fn on one snapshot.
func Read(t testing.TB, db *schema.DB, fn func(ctx context.Context, s *schema.Snapshot) error) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), fn))
}

// Reread reads a memory again.
func Reread(t testing.TB, db *schema.DB, m *schema.Memory) (got *schema.Memory) {
	t.Helper()
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		got, err = s.Memory(ctx, m.UserID, m.UID)
		return err
	}))
	return got
}

// Links returns the names of the entities that a memory is linked to, with the
// confidence of each link.
func Links(t testing.TB, db *schema.DB, m *schema.Memory) map[string]float64 {
	t.Helper()
	links := make(map[string]float64)
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		var rows []struct {
			Name       string
			Confidence float64
		}
		err := s.NewRaw(`SELECT e.name, me.confidence FROM memory_entities me JOIN entities e ON e.id = me.entity_id WHERE me.memory_id = ?`, m.ID).Scan(ctx, &rows)
		for _, r := range rows {
			links[r.Name] = r.Confidence
		}
		return err
	}))
	return links
}

// Dump returns everything that enriching and nights may change, for comparing
// before and after.
func Dump(t testing.TB, db *schema.DB) string {
	t.Helper()
	var all []string
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		for _, query := range []string{
			`SELECT json_group_array(json_array(id, state, version, confidence, importance, valid_until, access_count)) FROM memories`,
			`SELECT json_group_array(json_array(id, operation, record_id, run_id)) FROM ops`,
			`SELECT json_group_array(json_array(id, name, type, mention_count)) FROM entities`,
			`SELECT json_group_array(json_array(alias, entity_id, surface, confidence)) FROM entity_aliases`,
			`SELECT json_group_array(json_array(memory_id, entity_id, surface, confidence)) FROM memory_entities`,
			`SELECT json_group_array(json_array(id, importance_since, nights_through)) FROM users`,
			`SELECT json_group_array(json_array(event_seq, items)) FROM injections`,
		} {
			var part string
			if err := s.NewRaw(query).Scan(ctx, &part); err != nil {
				return err
			}
			all = append(all, part)
		}
		return nil
	}))
	return fmt.Sprint(all)
}

// FewerChecks lets a property that writes to disk run a quarter of rapid's
// checks.
func FewerChecks(t *testing.T) {
	t.Helper()
	all := flag.Lookup("rapid.checks").Value.String()
	n, err := strconv.Atoi(all)
	require.NoError(t, err)
	require.NoError(t, flag.Set("rapid.checks", strconv.Itoa(max(1, n/4))))
	t.Cleanup(func() { require.NoError(t, flag.Set("rapid.checks", all)) })
}

var writtenAt = regexp.MustCompile(`\A(\{"ebb":\{[^\n]*),"written_at":"[^"]*"`)

// Undated returns an export without the time at which it was written, to be compared.
func Undated(export string) string { return writtenAt.ReplaceAllString(export, "$1") }
