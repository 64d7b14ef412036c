package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// Rows calls f with the rows of a statement that is prepared once for each
// connection, without database/sql, for queries of every search. The rows are valid
// until f returns, and f must not read from s.
func (s *Snapshot) Rows(ctx context.Context, query string, f func(*Rows) error) error {
	return s.Statements(ctx, func(p *Statements) error {
		rows, done, err := p.Rows(query)
		if err != nil {
			return err
		}
		defer done()
		return f(rows)
	})
}

// Statements calls f with prepared statements of the connection, to read several of
// them side by side.
func (s *Snapshot) Statements(ctx context.Context, f func(*Statements) error) error {
	return s.conn.Raw(func(conn any) error {
		guarded, ok := conn.(*guardedConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of type %T", conn)
		}
		return guarded.call(func() error {
			raw := guarded.Raw()
			defer raw.SetInterrupt(raw.SetInterrupt(ctx))
			return f(&Statements{guarded})
		})
	})
}

// Statements are the prepared statements of one connection.
type Statements struct{ conn *guardedConn }

// Rows returns the rows of a statement that is prepared once for the connection.
// The caller must call done, which resets the statement for its next use.
func (p *Statements) Rows(query string) (rows *Rows, done func(), err error) {
	c := p.conn
	stmt := c.prepared[query]
	if stmt == nil {
		if stmt, err = preparePersistent(c.Raw(), query); err != nil {
			return nil, nil, err
		}
		if c.prepared == nil {
			c.prepared = make(map[string]*sqlite3.Stmt)
		}
		c.prepared[query] = stmt
	}
	// Reset returns the error of the last step again.
	return &Rows{stmt: stmt}, func() { _ = errors.Join(stmt.Reset(), stmt.ClearBindings()) }, nil
}

// Rows iterates over the rows of a statement. Columns are numbered from 0 and their
// types are not checked; see [Rows.Row].
type Rows struct {
	stmt    *sqlite3.Stmt
	stepped bool
}

// Start restarts the statement with integers as its first parameters.
func (r *Rows) Start(args ...int64) error {
	if err := r.reset(); err != nil {
		return err
	}
	for i, arg := range args {
		if err := r.stmt.BindInt64(i+1, arg); err != nil {
			return err
		}
	}
	return nil
}

// StartTexts restarts the statement with texts as its first parameters.
func (r *Rows) StartTexts(args ...string) error {
	if err := r.reset(); err != nil {
		return err
	}
	for i, arg := range args {
		if err := r.stmt.BindText(i+1, arg); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rows) reset() error {
	if !r.stepped {
		return nil
	}
	r.stepped = false
	return r.stmt.Reset()
}

// Next advances to the next row and reports whether there is one.
func (r *Rows) Next() bool {
	r.stepped = true
	return r.stmt.Step()
}

// Err returns the error that ended the rows, or nil.
func (r *Rows) Err() error { return r.stmt.Err() }

// Int64 returns an integer column.
func (r *Rows) Int64(column int) int64 { return r.stmt.ColumnInt64(column) }

// RawText returns a text column in SQLite's own memory, valid until the next row.
func (r *Rows) RawText(column int) []byte { return r.stmt.ColumnRawText(column) }

// RawBlob returns a BLOB column in SQLite's own memory, valid until the next row.
func (r *Rows) RawBlob(column int) []byte { return r.stmt.ColumnRawBlob(column) }

// Row returns the current row for reading with type checks.
func (r *Rows) Row() Row { return Row{stmt: r.stmt} }

// Row reads the columns of a row in order and keeps the first error: in a damaged
// file, or one that another program changed, a column can hold any type.
type Row struct {
	stmt *sqlite3.Stmt
	next int
	err  error
}

func (r *Row) column(kinds ...sqlite3.Datatype) (column int, null bool) {
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

// Err returns the first error of the columns read so far, or nil.
func (r *Row) Err() error { return r.err }

// Fail records that the value of the column read last is invalid.
func (r *Row) Fail(reason string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s %s", ErrCorrupt, r.stmt.ColumnName(r.next-1), reason)
	}
}

// Int reads an integer.
func (r *Row) Int() int64 {
	column, null := r.column(sqlite3.INTEGER)
	if null {
		return 0
	}
	return r.stmt.ColumnInt64(column)
}

// NullInt reads an integer or NULL.
func (r *Row) NullInt() (value int64, null bool) {
	column, null := r.column(sqlite3.INTEGER, sqlite3.NULL)
	if null {
		return 0, true
	}
	return r.stmt.ColumnInt64(column), false
}

// Bool reads an integer as a truth value.
func (r *Row) Bool() bool { return r.Int() != 0 }

// Float reads a number.
func (r *Row) Float() float64 {
	column, null := r.column(sqlite3.FLOAT, sqlite3.INTEGER)
	if null {
		return 0
	}
	return r.stmt.ColumnFloat(column)
}

// Text reads a text.
func (r *Row) Text() string {
	column, null := r.column(sqlite3.TEXT, sqlite3.BLOB)
	if null {
		return ""
	}
	return r.stmt.ColumnText(column)
}
