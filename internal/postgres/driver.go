package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector opens connections that translate statements.
type connector struct {
	driver.Connector

	settings []string // of each transaction
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	pg, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errors.New("postgres: another driver's connection"), inner.Close())
	}
	return &conn{Conn: pg, settings: c.settings}, nil
}

// conn is a connection of pgx that translates statements, sends those that have no
// result together with the next one, and reads the rows of a query at once, so that
// another query can be made while they are looked through.
type conn struct {
	*stdlib.Conn

	settings []string

	ahead []request // to be sent with the next statement
	asked int       // statements since the beginning of the transaction
}

// request is a statement that was translated.
type request struct {
	query string
	args  []any
}

const (
	// maxAhead limits the statements that wait, and maxAheadText their texts, in bytes.
	maxAhead     = 64
	maxAheadText = 1 << 20
	// rollbackWait is how long a rollback may take until the connection is closed instead.
	rollbackWait = 5 * time.Second
)

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

// ready translates a statement.
func ready(query string, named []driver.NamedValue) request {
	query, named = rewrite(query, named)
	st := request{query: query}
	if len(named) > 0 {
		st.args = make([]any, len(named))
		for i, arg := range named {
			st.args[i] = arg.Value
		}
	}
	return st
}

// begin begins a transaction with the first request that follows.
func (c *conn) begin(begin string, statements ...string) {
	c.ahead, c.asked = append(c.ahead[:0], request{query: begin}), 0
	for _, query := range slices.Concat(c.settings, statements) {
		c.ahead = append(c.ahead, request{query: query})
	}
}

// later has a statement sent with the next one, which fails if this one does.
func (c *conn) later(ctx context.Context, query string, args ...any) error {
	named, size := make([]driver.NamedValue, len(args)), 0
	for i, arg := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
		if err := c.CheckNamedValue(&named[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		if text, is := named[i].Value.(string); is {
			size += len(text)
		}
	}
	if len(c.ahead) >= maxAhead || size > maxAheadText {
		_, err := c.ExecContext(ctx, query, named)
		return err
	}
	c.asked++
	c.ahead = append(c.ahead, ready(query, named))
	return nil
}

// flush sends the statements that wait, unless one has failed already.
func (c *conn) flush(ctx context.Context) error {
	if pg := c.Conn.Conn(); c.asked == 0 || len(c.ahead) == 0 || pg.IsClosed() || pg.PgConn().TxStatus() == 'E' {
		return nil
	}
	_, err := c.do(ctx, request{query: "SELECT 1"}, true, nil)
	return err
}

// commit commits the transaction that begin began.
func (c *conn) commit(ctx context.Context) error {
	if c.idle() && c.asked == 0 {
		c.ahead = nil
		return nil
	}
	tag, err := c.do(ctx, request{query: "COMMIT"}, true, nil)
	if err == nil && tag.String() != "COMMIT" {
		err = errors.New("a statement of the transaction had failed")
	}
	return err
}

// rollback ends a transaction that was not committed. After an error the connection is
// closed.
func (c *conn) rollback() error {
	c.ahead = nil
	if c.idle() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), rollbackWait)
	defer cancel()
	_, err := c.do(ctx, request{query: "ROLLBACK"}, true, nil)
	if err != nil {
		return errors.Join(err, c.Conn.Close())
	}
	return nil
}

// idle reports whether no transaction has begun on the server.
func (c *conn) idle() bool {
	pg := c.Conn.Conn()
	return pg.IsClosed() || pg.PgConn().TxStatus() == 'I'
}

// BeginTx begins a transaction with its first request.
func (c *conn) BeginTx(_ context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	begin := "BEGIN"
	if sql.IsolationLevel(opts.Isolation) == sql.LevelRepeatableRead {
		begin += " ISOLATION LEVEL REPEATABLE READ"
	}
	if opts.ReadOnly {
		begin += " READ ONLY"
	}
	c.begin(begin)
	return driverTx{c}, nil
}

// driverTx is a transaction of database/sql.
type driverTx struct{ c *conn }

func (t driverTx) Commit() error { return t.c.commit(context.Background()) }

func (t driverTx) Rollback() error { return t.c.rollback() }

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.asked++
	tag, err := c.do(ctx, ready(query, args), len(args) > 0, nil)
	return driver.RowsAffected(tag.RowsAffected()), err
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.asked++
	read := new(readRows)
	_, err := c.do(ctx, ready(query, args), len(args) > 0, func(rows pgx.Rows) error {
		fields, types := rows.FieldDescriptions(), c.Conn.Conn().TypeMap()
		for _, f := range fields {
			read.columns = append(read.columns, f.Name)
		}
		for rows.Next() {
			values := make([]driver.Value, len(fields))
			for i, raw := range rows.RawValues() {
				var err error
				if values[i], err = decode(types, &fields[i], raw); err != nil {
					return err
				}
			}
			read.rows = append(read.rows, values)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return read, nil
}

// do sends a statement, after those that wait for it, and calls read with its rows. One
// that recurs is prepared once for the connection; others hold their values.
func (c *conn) do(ctx context.Context, st request, recurs bool, read func(pgx.Rows) error) (tag pgconn.CommandTag, err error) {
	pg := c.Conn.Conn()
	if pg.IsClosed() {
		return tag, driver.ErrBadConn
	}
	defer func() {
		if err != nil && pgconn.SafeToRetry(err) {
			err = driver.ErrBadConn
		}
	}()
	ahead := c.ahead
	c.ahead = c.ahead[:0]
	if len(ahead) > 0 {
		var batch pgx.Batch
		for _, st := range ahead {
			batch.Queue(st.query, st.args...)
		}
		if recurs {
			batch.Queue(st.query, st.args...)
		}
		results := pg.SendBatch(ctx, &batch)
		for range ahead {
			if _, err := results.Exec(); err != nil {
				_ = results.Close() // says the same
				return tag, err
			}
		}
		if recurs {
			rows, err := results.Query()
			tag, err = finish(rows, err, read)
			if closed := results.Close(); err == nil {
				err = closed
			}
			return tag, err
		}
		if err := results.Close(); err != nil {
			return tag, err
		}
	}
	args := st.args
	if !recurs {
		args = []any{pgx.QueryExecModeExec}
		if read == nil { // possibly several statements
			return pg.Exec(ctx, st.query)
		}
	}
	rows, err := pg.Query(ctx, st.query, args...)
	return finish(rows, err, read)
}

// finish reads the rows of a statement and ends it.
func finish(rows pgx.Rows, err error, read func(pgx.Rows) error) (tag pgconn.CommandTag, _ error) {
	if rows == nil {
		return tag, err
	}
	if err == nil && read != nil {
		err = read(rows)
	}
	rows.Close()
	if rows.Err() != nil {
		err = rows.Err()
	}
	return rows.CommandTag(), err
}

// decode returns a value of a row as database/sql knows it.
func decode(types *pgtype.Map, f *pgconn.FieldDescription, raw []byte) (driver.Value, error) {
	switch {
	case raw == nil:
		return nil, nil
	case f.DataTypeOID == pgtype.TextOID || f.DataTypeOID == pgtype.JSONOID:
		return string(raw), nil
	case f.DataTypeOID == pgtype.Int8OID && f.Format == pgx.BinaryFormatCode:
		return int64(binary.BigEndian.Uint64(raw)), nil
	}
	t, known := types.TypeForOID(f.DataTypeOID)
	if !known {
		return string(raw), nil
	}
	return t.Codec.DecodeDatabaseSQLValue(types, f.DataTypeOID, f.Format, raw)
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
