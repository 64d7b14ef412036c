package sqlite

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// A damaged page can declare a text of gigabytes. SQLite then exceeds the memory
// limit of the connection, and the driver panics: inside database/sql, which does
// not release its locks, so that the next call blocks forever. The types below wrap
// the driver and turn the panic into an error.

// OpenSQLite opens a data source for callers that inspect a file that [Open] may
// refuse. It returns SQLite's own errors, and [ErrCorrupt] in place of the driver's
// panics. The data source name must have parameters already ("file:x?mode=ro").
// init prepares each connection.
func OpenSQLite(dsn string, readOnly bool, init func(*sqlite3.Conn) error) (*sql.DB, error) {
	// As a DSN parameter the driver knows it and does not set it again for each
	// read.
	only := "query_only(off)"
	if readOnly {
		only = "query_only(on)"
	}
	inner, err := (&driver.SQLite{}).OpenConnector(dsn + "&_pragma=" + only)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(&guardedConnector{inner, init}), nil
}

// outOfMemory is the driver's panic value for SQLITE_NOMEM, after which the
// connection stays usable. After any other panic it may not be.
const outOfMemory = "sqlite3: out of memory"

// guard turns panics on one connection into errors.
type guard struct{ broken error }

// call runs f. If an earlier call broke the connection it returns that error.
func (g *guard) call(f func() error) (err error) {
	if g.broken != nil {
		return g.broken
	}
	defer func() {
		if r := recover(); r != nil {
			err = g.caught(r)
		}
	}()
	return f()
}

func (g *guard) caught(r any) error {
	fault := fmt.Sprint(r)
	if fault == outOfMemory {
		return fmt.Errorf("%w: SQLite ran out of memory on it", ErrCorrupt)
	}
	g.broken = fmt.Errorf("%w: SQLite broke down on it (%s)", ErrCorrupt, strings.TrimPrefix(fault, "sqlite3: "))
	return g.broken
}

type guardedConnector struct {
	inner sqldriver.Connector
	init  func(*sqlite3.Conn) error
}

func (c *guardedConnector) Driver() sqldriver.Driver { return c.inner.Driver() }

func (c *guardedConnector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	g := &guardedConn{}
	err := g.call(func() error {
		inner, err := c.inner.Connect(ctx)
		if err != nil {
			return err
		}
		g.inner = inner.(fullConn)
		return c.init(g.inner.Raw())
	})
	if err != nil {
		if g.inner != nil {
			_ = g.Close() // report the first error only
		}
		return nil, err
	}
	return g, nil
}

// fullConn is the interface that the driver's connections implement.
type fullConn interface {
	driver.Conn
	sqldriver.ExecerContext
	sqldriver.NamedValueChecker
}

type guardedConn struct {
	guard

	inner    fullConn
	prepared map[string]*rowStmt  // see [engine.Statements.Rows]
	kept     map[string]*keptStmt // see [Snapshot.Query]
}

var (
	_ fullConn            = (*guardedConn)(nil)
	_ sqldriver.Validator = (*guardedConn)(nil)
)

func (c *guardedConn) Raw() *sqlite3.Conn { return c.inner.Raw() }

// IsValid makes database/sql replace a broken connection.
func (c *guardedConn) IsValid() bool { return c.broken == nil }

func (c *guardedConn) Close() error {
	if c.broken != nil { // its memory may be inconsistent
		return nil
	}
	return c.call(func() error {
		var errs []error
		for _, stmt := range c.prepared {
			errs = append(errs, stmt.Close())
		}
		for _, stmt := range c.kept {
			errs = append(errs, stmt.guardedStmt.Close())
		}
		return errors.Join(append(errs, c.inner.Close())...)
	})
}

func (c *guardedConn) Begin() (sqldriver.Tx, error) {
	return c.BeginTx(context.Background(), sqldriver.TxOptions{})
}

func (c *guardedConn) BeginTx(ctx context.Context, opts sqldriver.TxOptions) (tx sqldriver.Tx, err error) {
	err = c.call(func() error {
		inner, err := c.inner.BeginTx(ctx, opts)
		tx = &guardedTx{&c.guard, inner}
		return err
	})
	return tx, err
}

func (c *guardedConn) Prepare(query string) (sqldriver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *guardedConn) PrepareContext(ctx context.Context, query string) (sqldriver.Stmt, error) {
	keep := ctx.Value(keepKey{}) != nil
	if keep {
		if stmt := c.kept[query]; stmt != nil && !stmt.inUse {
			stmt.inUse = true
			return stmt, nil
		}
	}
	var stmt *guardedStmt
	err := c.call(func() error {
		inner, err := c.inner.PrepareContext(ctx, query)
		if err == nil {
			stmt = &guardedStmt{&c.guard, inner.(fullStmt)}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !keep || c.kept[query] != nil { // the kept statement is in use
		return stmt, nil
	}
	if c.kept == nil {
		c.kept = make(map[string]*keptStmt)
	}
	c.kept[query] = &keptStmt{stmt, true}
	return c.kept[query], nil
}

// keepKey is the context key of a query with a statement that stays prepared on its
// connection. A sql.Stmt is shared by all connections and prepared again on an idle
// one: on a second connection, while the first is reading.
type keepKey struct{}

func keepPrepared(ctx context.Context) context.Context {
	return context.WithValue(ctx, keepKey{}, true)
}

type keptStmt struct {
	*guardedStmt

	inUse bool
}

// Close makes the statement available again.
func (s *keptStmt) Close() error {
	s.inUse = false
	return nil
}

func (c *guardedConn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (result sqldriver.Result, err error) {
	err = c.call(func() (err error) {
		result, err = c.inner.ExecContext(ctx, query, args)
		return err
	})
	return result, err
}

func (c *guardedConn) CheckNamedValue(arg *sqldriver.NamedValue) error {
	return c.inner.CheckNamedValue(arg)
}

type guardedTx struct {
	*guard

	inner sqldriver.Tx
}

func (t *guardedTx) Commit() error   { return t.call(t.inner.Commit) }
func (t *guardedTx) Rollback() error { return t.call(t.inner.Rollback) }

// fullStmt is the interface that the driver's statements implement.
type fullStmt interface {
	sqldriver.Stmt
	sqldriver.StmtExecContext
	sqldriver.StmtQueryContext
	sqldriver.NamedValueChecker
}

type guardedStmt struct {
	*guard

	inner fullStmt
}

var _ fullStmt = (*guardedStmt)(nil)

func (s *guardedStmt) NumInput() int { return s.inner.NumInput() }

func (s *guardedStmt) Close() error { return s.call(s.inner.Close) }

func (s *guardedStmt) CheckNamedValue(arg *sqldriver.NamedValue) error {
	return s.inner.CheckNamedValue(arg)
}

func (s *guardedStmt) Exec([]sqldriver.Value) (sqldriver.Result, error) {
	return nil, sqldriver.ErrSkip // database/sql calls ExecContext
}

func (s *guardedStmt) Query([]sqldriver.Value) (sqldriver.Rows, error) {
	return nil, sqldriver.ErrSkip // database/sql calls QueryContext
}

func (s *guardedStmt) ExecContext(ctx context.Context, args []sqldriver.NamedValue) (result sqldriver.Result, err error) {
	err = s.call(func() (err error) {
		result, err = s.inner.ExecContext(ctx, args)
		return err
	})
	return result, err
}

func (s *guardedStmt) QueryContext(ctx context.Context, args []sqldriver.NamedValue) (rows sqldriver.Rows, err error) {
	err = s.call(func() error {
		inner, err := s.inner.QueryContext(ctx, args)
		if err == nil {
			rows = &guardedRows{s.guard, inner.(fullRows)}
		}
		return err
	})
	return rows, err
}

// fullRows is the interface that the driver's rows implement.
type fullRows interface {
	sqldriver.Rows
	sqldriver.RowsColumnTypeScanType
	sqldriver.RowsColumnTypeDatabaseTypeName
	sqldriver.RowsColumnTypeNullable
}

type guardedRows struct {
	*guard

	inner fullRows
}

var _ fullRows = (*guardedRows)(nil)

func (r *guardedRows) Columns() []string { return r.inner.Columns() }

func (r *guardedRows) Close() error { return r.call(r.inner.Close) }

func (r *guardedRows) Next(dest []sqldriver.Value) error {
	return r.call(func() error { return r.inner.Next(dest) })
}

func (r *guardedRows) ColumnTypeScanType(i int) reflect.Type { return r.inner.ColumnTypeScanType(i) }

func (r *guardedRows) ColumnTypeDatabaseTypeName(i int) string {
	return r.inner.ColumnTypeDatabaseTypeName(i)
}

func (r *guardedRows) ColumnTypeNullable(i int) (nullable, ok bool) {
	return r.inner.ColumnTypeNullable(i)
}
