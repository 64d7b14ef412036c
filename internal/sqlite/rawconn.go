package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
	"github.com/uptrace/bun"
)

// rawConn is the writer's connection without database/sql, for the statements of
// every commit. Only writeLoop uses it, except for file's HasMoved.
type rawConn struct {
	guard      *guard
	conn       *sqlite3.Conn
	file       *tidyFile
	log        *logFile // nil until the first commit
	statements map[string]*boundStmt
	used       []*boundStmt // in the current transaction
}

func newRawConn(conn bun.Conn) (*rawConn, error) {
	c := &rawConn{statements: make(map[string]*boundStmt)}
	err := conn.Raw(func(conn any) error {
		guarded, ok := conn.(*guardedConn)
		if !ok {
			return fmt.Errorf("sqlite: a connection of type %T", conn)
		}
		c.guard, c.conn = &guarded.guard, guarded.Raw()
		c.conn.SetInterrupt(context.Background()) // else it keeps the context of Open
		var err error
		c.file, err = fileOf(c.conn)
		return err
	})
	return c, err
}

func (c *rawConn) close() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, c.guard.call(s.Close))
	}
	return errors.Join(errs...)
}

// logsBegun is how often this connection has restarted the log.
func (c *rawConn) logsBegun() int64 {
	if c.log == nil {
		return 0
	}
	return c.log.begun
}

// exec runs a statement that returns no rows. It prepares each query once.
func (c *rawConn) exec(query string, args ...any) error {
	return c.guard.call(func() error { return c.run(query, args) })
}

func (c *rawConn) run(query string, args []any) error {
	s := c.statements[query]
	if s == nil {
		stmt, err := preparePersistent(c.conn, query)
		if err != nil {
			return err
		}
		s = newBoundStmt(stmt)
		c.statements[query] = s
	}
	if len(s.texts) != len(args) {
		return fmt.Errorf("sqlite: %d arguments for %d parameters of %q", len(args), len(s.texts), query)
	}
	if !s.used {
		s.used, c.used = true, append(c.used, s)
	}
	if err := s.bind(args); err != nil {
		return err
	}
	return errors.Join(s.Exec(), s.releaseLong())
}

// clearBindings clears the parameters of all statements used in the transaction.
func (c *rawConn) clearBindings() {
	for _, s := range c.used {
		s.clearBindings(c.guard)
	}
	c.used = c.used[:0]
}

// result is the outcome of the last statement.
func (c *rawConn) result() sql.Result {
	return result{c.conn.LastInsertRowID(), c.conn.Changes()}
}

type result struct{ id, rows int64 }

func (r result) LastInsertId() (int64, error) { return r.id, nil }
func (r result) RowsAffected() (int64, error) { return r.rows, nil }

// commit commits the transaction, and writes its log frames in one system call.
func (c *rawConn) commit() error {
	if c.log == nil { // the log is open by now
		file, _ := logOf(c.conn)
		log, ok := file.(*logFile)
		if !ok {
			return fmt.Errorf("sqlite: a log of type %T", file)
		}
		c.log = log
	}
	c.log.beginBuffering()
	if err := c.exec("COMMIT"); err != nil {
		c.log.discardBuffer()
		return err
	}
	return c.log.endBuffering()
}
