package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
)

// snapshot is a read transaction.
type snapshot struct {
	bun.Tx

	ctx  context.Context
	conn bun.Conn
}

// Query implements [engine.Snapshot].
func (s *snapshot) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.Tx.Tx.QueryContext(ctx, query, args...)
}

// Row implements [engine.Snapshot].
func (s *snapshot) Row(ctx context.Context, query string, args []any, dest ...any) error {
	return s.Tx.Tx.QueryRowContext(ctx, query, args...).Scan(dest...)
}

// LeaseTime implements [engine.Snapshot].
func (s *snapshot) LeaseTime(ctx context.Context) (time.Time, error) {
	var ms int64
	err := s.Row(ctx, serverTime, nil, &ms)
	return time.UnixMilli(ms), err
}

// Settled implements [engine.Snapshot].
func (s *snapshot) Settled(ctx context.Context) (before int64, err error) {
	err = s.Row(ctx, "SELECT ebb_settled()", nil, &before)
	return before, err
}

// Statement implements [engine.Snapshot].
func (s *snapshot) Statement(query string) (engine.Statement, error) {
	return &statement{s: s, query: query}, nil
}

// statement reads all rows at the first step: a connection has one query at a time. With
// many, it looks through them while others arrive, and other queries wait.
type statement struct {
	s     *snapshot
	query string
	args  []driver.NamedValue
	many  bool

	ran     bool
	columns []string
	oids    []uint32
	formats []int16
	rows    [][][]byte
	row     [][]byte
	err     error

	arriving chan [][][]byte // closed after the last
	failed   error           // set before it is closed
}

// Many has the rows looked through while others arrive.
func (st *statement) Many() { st.many = true }

// manyTogether is how many rows are handed over at once.
const manyTogether = 256

// take reads rows and calls full with as many as are handed over at once, and with the
// rest.
func (st *statement) take(rows pgx.Rows, full func([][][]byte)) {
	st.columns, st.oids, st.formats = nil, nil, nil
	for _, f := range rows.FieldDescriptions() {
		st.columns, st.oids, st.formats = append(st.columns, f.Name), append(st.oids, f.DataTypeOID), append(st.formats, f.Format)
	}
	var copies copies
	var taken [][][]byte
	for rows.Next() {
		if taken = append(taken, copies.of(rows.RawValues())); len(taken) == manyTogether {
			full(taken)
			taken = nil
		}
	}
	full(taken)
}

func (st *statement) bind(param int, value any) error {
	for len(st.args) < param {
		st.args = append(st.args, driver.NamedValue{Ordinal: len(st.args) + 1})
	}
	st.args[param-1].Value = value
	return nil
}

func (st *statement) BindInt64(param int, value int64) error { return st.bind(param, value) }

func (st *statement) BindText(param int, value string) error { return st.bind(param, value) }

func (st *statement) ClearBindings() error {
	st.args = nil
	return nil
}

func (st *statement) Reset() error {
	if st.arriving != nil {
		for range st.arriving { // to their end
		}
	}
	st.ran, st.rows, st.row, st.arriving, st.failed = false, nil, nil, nil, nil
	err := st.err
	st.err = nil
	return err
}

func (st *statement) Step() bool {
	if !st.ran {
		st.ran = true
		if st.many {
			st.arriving = make(chan [][][]byte, 1<<12) // a million rows before the connection waits for them
			go func() {
				defer close(st.arriving)
				st.failed = st.run(func(rows [][][]byte) { st.arriving <- rows })
			}()
		} else {
			st.err = st.run(func(rows [][][]byte) { st.rows = append(st.rows, rows...) })
		}
	}
	for len(st.rows) == 0 && st.arriving != nil {
		rows, more := <-st.arriving
		if st.rows = rows; !more {
			st.err, st.arriving = st.failed, nil
		}
	}
	if st.err != nil || len(st.rows) == 0 {
		return false
	}
	st.row, st.rows = st.rows[0], st.rows[1:]
	return true
}

func (st *statement) run(full func([][][]byte)) (err error) {
	unusable := st.s.conn.Raw(func(raw any) error {
		_, err = raw.(*conn).do(st.s.ctx, ready(st.query, st.args), true, func(rows pgx.Rows) error {
			st.take(rows, full)
			return nil
		})
		return nil // with driver.ErrBadConn, Raw would wait for the end of the transaction we are in
	})
	return errors.Join(err, unusable)
}

// copies copies rows into large pieces of memory.
type copies struct {
	bytes  []byte
	values [][]byte
	made   int // rows
}

func (c *copies) of(row [][]byte) [][]byte {
	size := 0
	for _, v := range row {
		size += len(v)
	}
	together := min(1<<min(c.made, 8), manyTogether) // rows in one piece: few for a small result
	if c.bytes == nil || cap(c.bytes)-len(c.bytes) < size {
		c.bytes = make([]byte, 0, max(size, min(together*size, 1<<16)))
	}
	if cap(c.values)-len(c.values) < len(row) {
		c.values = make([][]byte, 0, together*len(row))
	}
	c.made++
	first := len(c.values)
	for _, v := range row {
		if v == nil {
			c.values = append(c.values, nil)
			continue
		}
		c.bytes = append(c.bytes, v...)
		c.values = append(c.values, c.bytes[len(c.bytes)-len(v):len(c.bytes):len(c.bytes)])
	}
	return c.values[first:len(c.values):len(c.values)]
}

func (st *statement) Err() error { return st.err }

func (st *statement) ColumnName(column int) string { return st.columns[column] }

func (st *statement) Kind(column int) engine.Kind {
	if st.row[column] == nil {
		return engine.Null
	}
	switch st.oids[column] {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID, pgtype.BoolOID:
		return engine.Integer
	case pgtype.Float8OID, pgtype.Float4OID, pgtype.NumericOID:
		return engine.Float
	case pgtype.ByteaOID:
		return engine.Blob
	}
	return engine.Text
}

// decoded reads a value of a type that is not taken from its bytes.
func (st *statement) decoded(column int, dest any) {
	m := pgtype.NewMap()
	if err := m.Scan(st.oids[column], st.formats[column], st.row[column], dest); err != nil && st.err == nil {
		st.err = fmt.Errorf("column %s: %w", st.columns[column], err)
	}
}

func (st *statement) ColumnInt64(column int) (n int64) {
	v := st.row[column]
	switch {
	case v == nil:
		return 0
	case st.formats[column] != pgx.BinaryFormatCode:
	case st.oids[column] == pgtype.Int8OID:
		return int64(binary.BigEndian.Uint64(v))
	case st.oids[column] == pgtype.Int4OID:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case st.oids[column] == pgtype.BoolOID:
		return int64(v[0])
	}
	st.decoded(column, &n)
	return n
}

func (st *statement) ColumnFloat(column int) (f float64) {
	v := st.row[column]
	switch {
	case v == nil:
		return 0
	case st.oids[column] == pgtype.Float8OID && st.formats[column] == pgx.BinaryFormatCode:
		return math.Float64frombits(binary.BigEndian.Uint64(v))
	case st.oids[column] == pgtype.Int8OID:
		return float64(st.ColumnInt64(column))
	}
	st.decoded(column, &f)
	return f
}

func (st *statement) ColumnText(column int) string { return string(st.row[column]) }

func (st *statement) ColumnRawText(column int) []byte { return st.row[column] }

func (st *statement) ColumnRawBlob(column int) (b []byte) {
	if st.formats[column] == pgx.BinaryFormatCode {
		return st.row[column]
	}
	st.decoded(column, &b)
	return b
}
