package engine

import (
	"errors"
	"fmt"
)

// Kind is the type of a column's value.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Integer
	Float
	Text
	Blob
)

func (k Kind) String() string { return [...]string{"NULL", "INTEGER", "FLOAT", "TEXT", "BLOB"}[k] }

// Statement is a prepared statement of one connection. Parameters are numbered from 1,
// columns from 0.
type Statement interface {
	BindInt64(param int, value int64) error
	BindText(param int, value string) error
	ClearBindings() error
	Reset() error
	Step() bool
	Err() error

	ColumnName(column int) string
	Kind(column int) Kind
	ColumnInt64(column int) int64
	ColumnFloat(column int) float64
	ColumnText(column int) string
	// ColumnRawText and ColumnRawBlob are valid until the next step.
	ColumnRawText(column int) []byte
	ColumnRawBlob(column int) []byte
}

// Preparer prepares statements, each once for its connection.
type Preparer interface {
	Statement(query string) (Statement, error)
}

// Statements are the prepared statements of one connection.
type Statements struct{ Preparer }

// Rows returns the rows of a statement that is prepared once for the connection.
// The caller must call done, which resets the statement for its next use.
func (p *Statements) Rows(query string) (rows *Rows, done func(), err error) {
	stmt, err := p.Statement(query)
	if err != nil {
		return nil, nil, err
	}
	// Reset returns the error of the last step again.
	return &Rows{stmt: stmt}, func() { _ = errors.Join(stmt.Reset(), stmt.ClearBindings()) }, nil
}

// Rows iterates over the rows of a statement. Columns are numbered from 0 and their
// types are not checked; see [Rows.Row].
type Rows struct {
	stmt    Statement
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

// Many announces many rows: a server's are looked through while others arrive.
func (r *Rows) Many() {
	if server, is := r.stmt.(interface{ Many() }); is {
		server.Many()
	}
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

// RawText returns a text column in the engine's own memory, valid until the next row.
func (r *Rows) RawText(column int) []byte { return r.stmt.ColumnRawText(column) }

// RawBlob returns a BLOB column in the engine's own memory, valid until the next row.
func (r *Rows) RawBlob(column int) []byte { return r.stmt.ColumnRawBlob(column) }

// Row returns the current row for reading with type checks.
func (r *Rows) Row() Row { return Row{stmt: r.stmt} }

// Row reads the columns of a row in order and keeps the first error: in a damaged
// file, or one that another program changed, a column can hold any type.
type Row struct {
	stmt Statement
	next int
	err  error
}

func (r *Row) column(kinds ...Kind) (column int, null bool) {
	column = r.next
	r.next++
	is := r.stmt.Kind(column)
	for _, kind := range kinds {
		if is == kind {
			return column, is == Null
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
	column, null := r.column(Integer)
	if null {
		return 0
	}
	return r.stmt.ColumnInt64(column)
}

// NullInt reads an integer or NULL.
func (r *Row) NullInt() (value int64, null bool) {
	column, null := r.column(Integer, Null)
	if null {
		return 0, true
	}
	return r.stmt.ColumnInt64(column), false
}

// Bool reads an integer as a truth value.
func (r *Row) Bool() bool { return r.Int() != 0 }

// Float reads a number.
func (r *Row) Float() float64 {
	column, null := r.column(Float, Integer)
	if null {
		return 0
	}
	return r.stmt.ColumnFloat(column)
}

// Text reads a text.
func (r *Row) Text() string {
	column, null := r.column(Text, Blob)
	if null {
		return ""
	}
	return r.stmt.ColumnText(column)
}
