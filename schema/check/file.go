package check

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
)

// Open opens one connection that leaves the file as it is: it moves nothing out of
// the write-ahead log, which may be evidence. name is a URI with parameters. A
// connection that only reads is opened for writing too, as far as the file allows
// that: with mode=ro SQLite leaves the CHECK constraints out of its integrity_check.
func Open(name string, readOnly bool) (*sql.DB, error) {
	db, err := sqlite.OpenSQLite(name+"&mode=rw", readOnly, func(c *sqlite3.Conn) error {
		if _, err := c.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err != nil {
			return err
		}
		if err := c.Exec("PRAGMA busy_timeout = 1000; PRAGMA temp_store = memory; PRAGMA wal_autocheckpoint = 0"); err != nil {
			return err
		}
		return fts5.Register(c)
	})
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// InUse reports whether a program has the file at path open: on Linux only.
func InUse(path string) bool { return sqlite.InUse(path) }

// MainTables is how many tables [Head] counts in a memory.
const MainTables = 5

// Head is what the head of a file says.
type Head struct {
	Tables  int // of [MainTables]
	Version int // of the schema
	Journal string
}

// ReadHead reads the head of a file.
func ReadHead(ctx context.Context, q schema.Querier) (h Head, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*), (SELECT user_version FROM pragma_user_version), (SELECT journal_mode FROM pragma_journal_mode)
		FROM sqlite_schema WHERE name IN ('users', 'events', 'memories', 'chunks', 'chunks_fts')`).Scan(&h.Tables, &h.Version, &h.Journal)
	return h, err
}

// Pages has SQLite look at every page and index, and returns the first problems.
func Pages(ctx context.Context, q schema.Querier) (problems []string, err error) {
	problems, err = sqlite.Texts(ctx, q, "PRAGMA integrity_check(20)")
	if slices.Equal(problems, []string{"ok"}) {
		problems = nil
	}
	return problems, err
}

// Descriptions names the tables, indexes and triggers that are not described as in a
// new memory: SQLite reads them by their descriptions, of which it keeps no checksum.
// What somebody has added is none of them.
func Descriptions(ctx context.Context, q schema.Querier) (altered []string, err error) {
	want, err := newFile(ctx)
	if err != nil {
		return nil, err
	}
	described := make(map[string]string)
	if err := texts(ctx, q, descriptions, func(v []string) { described[v[0]] = v[1] }); err != nil {
		return nil, err
	}
	for _, w := range want {
		if described[w[0]] != w[1] {
			altered = append(altered, w[0])
		}
	}
	return altered, nil
}

// descriptions selects the name and the text of each table, index and trigger. Those of
// the tables behind the text index are the library's that made them.
const descriptions = `SELECT type || ' ' || name, tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'bun_%' AND name NOT LIKE 'chunks_fts_%'`

var newest struct {
	sync.Mutex
	descriptions [][]string
}

// newFile returns the descriptions of a new file, which is made once.
func newFile(ctx context.Context) (_ [][]string, err error) {
	newest.Lock()
	defer newest.Unlock()
	if newest.descriptions != nil {
		return newest.descriptions, nil
	}
	empty, err := schema.InMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, empty.Close()) }()
	var all [][]string
	if err := texts(ctx, empty, descriptions, func(v []string) { all = append(all, slices.Clone(v)) }); err != nil {
		return nil, err
	}
	newest.descriptions = all
	return all, nil
}

// TextIndex has FTS5 compare its index with the chunks. The command for it is
// written as an insert, so it needs a connection that may write; it is rolled
// back.
func TextIndex(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
	_, undo := db.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(err, undo)
}
