package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"github.com/ebbmem/ebb/schema"
)

// readLangchaingo reads the tables of messages in a SQLite file, which it copies
// for that: the input is a stream.
func (e *elements) readLangchaingo(ctx context.Context, r io.Reader) (err error) {
	scratch, err := os.CreateTemp("", ".ebb-import-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close(), os.Remove(scratch.Name())) }()
	if _, err := io.Copy(scratch, r); err != nil {
		return err
	}
	err = e.readFile(ctx, scratch.Name())
	for _, fault := range []error{sqlite3.CORRUPT, sqlite3.NOTADB, sqlite3.CANTOPEN, sqlite3.ERROR} {
		if errors.Is(err, fault) {
			return &schema.InvalidError{Field: "input", Reason: "is a damaged SQLite file, or none"}
		}
	}
	return err
}

// readFile reads each table of a file that has langchaingo's columns.
func (e *elements) readFile(ctx context.Context, path string) (err error) {
	db, err := driver.Open((&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&immutable=1"}).String(), func(c *sqlite3.Conn) error {
		return c.Exec("PRAGMA trusted_schema = OFF")
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	const tables = `SELECT t.name FROM sqlite_schema t WHERE t.type = 'table' AND t.sql LIKE 'CREATE TABLE%'
		AND (SELECT count(*) FROM pragma_table_info(t.name) WHERE name IN ('id', 'session', 'content', 'type', 'created')) = 5 ORDER BY t.name`
	names, err := schema.Column[string](ctx, db.QueryContext, tables)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return &schema.InvalidError{Field: "input", Reason: "is a SQLite file without a history of langchaingo; a memory of ebb is taken in by ebb export and ebb import"}
	}
	sessions := make(map[string]bool)
	for _, name := range names {
		some, err := schema.Column[string](ctx, db.QueryContext, "SELECT DISTINCT coalesce(CAST(session AS TEXT), '') FROM "+quotedName(name)+" LIMIT 2")
		if err != nil {
			return err
		}
		for _, s := range some {
			sessions[s] = true
		}
	}
	if len(sessions) > 1 && !e.only {
		return &ImportError{Where: "table " + names[0], Err: &schema.InvalidError{Field: "session", Reason: "has several values, and a history of langchaingo does not say whose they are; " +
			"name this user's by --only-session (ImportOptions.OnlySession), as 'anna:*' or, if all are hers, '*'"}}
	}
	for _, name := range names {
		tools, err := schema.Column[int64](ctx, db.QueryContext, "SELECT count(*) FROM "+quotedName(name)+" WHERE lower(type) IN ('tool', 'function')")
		if err != nil {
			return err
		}
		e.tools = e.tools || tools[0] > 0
	}
	for _, name := range names {
		if err := e.readTable(ctx, db, name); err != nil {
			return err
		}
	}
	return nil
}

func quotedName(table string) string { return `"` + strings.ReplaceAll(table, `"`, `""`) + `"` }

// readTable reads one table of messages in the order in which they were written.
func (e *elements) readTable(ctx context.Context, db *sql.DB, table string) (err error) {
	rows, err := db.QueryContext(ctx, "SELECT CAST(coalesce(id, 0) AS INTEGER), CAST(session AS TEXT), CAST(content AS TEXT), CAST(type AS TEXT), CAST(created AS TEXT) FROM "+quotedName(table)+" ORDER BY id")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id int64
		var session, content, kind, created sql.NullString
		if err := rows.Scan(&id, &session, &content, &kind, &created); err != nil {
			return err
		}
		where := fmt.Sprintf("row %d", id)
		role := roles[kind.String]
		if role == "" || strings.TrimSpace(content.String) == "" { // system, generic
			e.report.Skipped++
			continue
		}
		at, err := foreignTime("created", created.String)
		if err == nil && !utf8.ValidString(content.String) {
			err = notUTF8
		}
		if err != nil {
			if err := error(&ImportError{Where: where, Err: err}); !e.skips(err) {
				return err
			}
			continue
		}
		e.report.Format = FormatLangchaingo
		if err := e.turn(where, importedTurn{session: session.String, role: role, text: content.String, at: at, tools: e.tools}); err != nil {
			return err
		}
	}
	return rows.Err()
}
