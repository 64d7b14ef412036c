package schema

import (
	"context"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// prepared lends a statement that is prepared once for each connection, without
// database/sql in between: for what every search asks. Its rows are f's until it
// returns, and f must not read from s.
func (s *Snapshot) prepared(ctx context.Context, query string, f func(*sqlite3.Stmt) error) error {
	return s.lend(ctx, func(c *guardedConn) error {
		stmt, done, err := c.statement(query)
		if err != nil {
			return err
		}
		defer done()
		return f(stmt)
	})
}

// statement is one that is prepared once for the connection. done, which must be
// called, leaves it as it was found.
func (c *guardedConn) statement(query string) (stmt *sqlite3.Stmt, done func(), err error) {
	if stmt = c.prepared[query]; stmt == nil {
		if stmt, err = prepareToStay(c.Raw(), query); err != nil {
			return nil, nil, err
		}
		if c.prepared == nil {
			c.prepared = make(map[string]*sqlite3.Stmt)
		}
		c.prepared[query] = stmt
	}
	// What ended a step with an error says it again when it is reset.
	return stmt, func() { _ = errors.Join(stmt.Reset(), stmt.ClearBindings()) }, nil
}

// row reads the columns of a row one after another, and remembers the first that
// is not of the kind it should be: SQLite keeps what a damaged file or another
// program has put there.
type row struct {
	stmt *sqlite3.Stmt
	next int
	err  error
}

func (r *row) column(kinds ...sqlite3.Datatype) (column int, null bool) {
	column = r.next
	r.next++
	is := r.stmt.ColumnType(column)
	for _, kind := range kinds {
		if is == kind {
			return column, is == sqlite3.NULL
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s is a %s", ErrCorrupt, r.stmt.ColumnName(column), is)
	}
	return column, true
}

func (r *row) int() int64 {
	column, null := r.column(sqlite3.INTEGER)
	if null {
		return 0
	}
	return r.stmt.ColumnInt64(column)
}

func (r *row) bool() bool { return r.int() != 0 }

func (r *row) float() float64 {
	column, null := r.column(sqlite3.FLOAT, sqlite3.INTEGER)
	if null {
		return 0
	}
	return r.stmt.ColumnFloat(column)
}

func (r *row) text() string {
	column, null := r.column(sqlite3.TEXT, sqlite3.BLOB)
	if null {
		return ""
	}
	return r.stmt.ColumnText(column)
}

func (r *row) time() (t Time) {
	column, null := r.column(sqlite3.INTEGER, sqlite3.NULL)
	if null {
		return Time{}
	}
	_ = t.Scan(r.stmt.ColumnInt64(column)) // of an int64 it never fails
	return t
}

// json reads a text into dest, a pointer to [Strings] or [Attributes].
func (r *row) json(dest interface{ Scan(any) error }) {
	if err := dest.Scan(r.text()); err != nil && r.err == nil {
		r.err = fmt.Errorf("%w: %s %s", ErrCorrupt, r.stmt.ColumnName(r.next-1), JSONFault(err))
	}
}
