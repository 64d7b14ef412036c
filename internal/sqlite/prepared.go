package sqlite

import (
	"context"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/internal/engine"
)

// Rows calls f with the rows of a statement that is prepared once for each
// connection, without database/sql, for queries of every search. The rows are valid
// until f returns, and f must not read from s.
func (s *Snapshot) Rows(ctx context.Context, query string, f func(*engine.Rows) error) error {
	return s.Statements(ctx, func(p *engine.Statements) error {
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
func (s *Snapshot) Statements(ctx context.Context, f func(*engine.Statements) error) error {
	return s.conn.Raw(func(conn any) error {
		guarded, ok := conn.(*guardedConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of type %T", conn)
		}
		return guarded.call(func() error {
			raw := guarded.Raw()
			defer raw.SetInterrupt(raw.SetInterrupt(ctx))
			return f(&engine.Statements{Preparer: guarded})
		})
	})
}

// Statement implements [engine.Preparer].
func (c *guardedConn) Statement(query string) (engine.Statement, error) {
	if kept := c.prepared[query]; kept != nil {
		return kept, nil
	}
	stmt, err := preparePersistent(c.Raw(), query)
	if err != nil {
		return nil, err
	}
	if c.prepared == nil {
		c.prepared = make(map[string]*rowStmt)
	}
	kept := &rowStmt{stmt}
	c.prepared[query] = kept
	return kept, nil
}

// rowStmt is a statement as [engine.Statement].
type rowStmt struct{ *sqlite3.Stmt }

// Kind implements [engine.Statement].
func (s *rowStmt) Kind(column int) engine.Kind {
	switch s.ColumnType(column) {
	case sqlite3.INTEGER:
		return engine.Integer
	case sqlite3.FLOAT:
		return engine.Float
	case sqlite3.TEXT:
		return engine.Text
	case sqlite3.BLOB:
		return engine.Blob
	}
	return engine.Null
}
