package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// connector opens connections that translate statements.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	pg, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errors.New("postgres: another driver's connection"), inner.Close())
	}
	return &conn{Conn: pg}, nil
}

// conn is a connection of pgx that translates statements and reads the rows of a query
// at once, so that another query can be made while they are looked through.
type conn struct {
	*stdlib.Conn

	asked int // statements since the beginning of the transaction
}

// CheckNamedValue converts an argument to a type that [rewrite] knows.
func (c *conn) CheckNamedValue(arg *driver.NamedValue) (err error) {
	switch v := arg.Value.(type) {
	case nil, int64, float64, []byte:
		return nil
	case string:
		// Such a text, for instance an id from a URL, finds nothing.
		arg.Value = storable(v)
		return nil
	case time.Time:
		return errors.New("postgres: a time.Time cannot be stored; use a Time")
	}
	if arg.Value, err = driver.DefaultParameterConverter.ConvertValue(arg.Value); err != nil {
		return err
	}
	switch v := arg.Value.(type) {
	case bool:
		if arg.Value = int64(0); v {
			arg.Value = int64(1)
		}
	case string:
		arg.Value = storable(v)
	case time.Time:
		return errors.New("postgres: a time.Time cannot be stored; use a Time")
	}
	return nil
}

// storable replaces what is no text for PostgreSQL: NUL and invalid UTF-8.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.asked++
	query, args = rewrite(query, args)
	return c.Conn.ExecContext(ctx, query, args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.asked++
	query, args = rewrite(query, args)
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	read := &readRows{columns: rows.Columns()}
	for {
		values := make([]driver.Value, len(read.columns))
		switch err := rows.Next(values); {
		case err == nil:
			read.rows = append(read.rows, values)
		case errors.Is(err, io.EOF):
			return read, rows.Close()
		default:
			return nil, errors.Join(err, rows.Close())
		}
	}
}

// readRows are rows that were read.
type readRows struct {
	columns []string
	rows    [][]driver.Value
}

func (r *readRows) Columns() []string { return r.columns }

func (r *readRows) Close() error { return nil }

func (r *readRows) Next(dest []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(dest, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}
