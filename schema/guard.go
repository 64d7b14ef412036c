package schema

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// A damaged page can claim a text of gigabytes. SQLite runs out of the memory
// that a connection may have, and the driver panics: inside database/sql, which
// keeps its locks then, so that the next call waits for ever. The types below
// stand between the two and make the panic an error.

// OpenSQLite opens connections to what the data source name says, for those who
// look into a file that [Open] may refuse: SQLite's own errors, and [ErrCorrupt]
// where it would panic. The name has parameters already ("file:x?mode=ro"). init
// prepares each connection.
func OpenSQLite(dsn string, readOnly bool, init func(*sqlite3.Conn) error) (*sql.DB, error) {
	// Given here, the driver knows of it and does not set it for every read.
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

// outOfMemory is what the driver panics with when SQLite says NOMEM; the
// connection is as good as before. After any other panic it may not be.
const outOfMemory = "sqlite3: out of memory"

// guard is the state of one connection.
type guard struct{ broken error }

// call runs f, or returns the fault that broke the connection before.
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

// Guard runs f, which works on rows that were read, and returns an error in place
// of the runtime's panic: rows that contradict each other lead code astray that
// is right for every file a program of ours has written. Other panics go on.
func Guard(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: its rows contradict each other (%w)", ErrCorrupt, r)
		default:
			panic(r)
		}
	}()
	f()
	return nil
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
			_ = g.Close() // the error says enough
		}
		return nil, err
	}
	return g, nil
}

// fullConn is what the driver's connections can.
type fullConn interface {
	driver.Conn
	sqldriver.ExecerContext
	sqldriver.NamedValueChecker
}

type guardedConn struct {
	guard

	inner    fullConn
	prepared map[string]*sqlite3.Stmt // see [Snapshot.prepared]
	kept     map[string]*keptStmt     // see [Snapshot.Query]
}

var (
	_ fullConn            = (*guardedConn)(nil)
	_ sqldriver.Validator = (*guardedConn)(nil)
)

func (c *guardedConn) Raw() *sqlite3.Conn { return c.inner.Raw() }

// IsValid lets database/sql take another connection in place of a broken one.
func (c *guardedConn) IsValid() bool { return c.broken == nil }

func (c *guardedConn) Close() error {
	if c.broken != nil { // what is left of its memory is not walked again
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
	keep := ctx.Value(keeping{}) != nil
	if keep {
		if stmt := c.kept[query]; stmt != nil && !stmt.lent {
			stmt.lent = true
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
	if !keep || c.kept[query] != nil { // its rows are still being read
		return stmt, nil
	}
	if c.kept == nil {
		c.kept = make(map[string]*keptStmt)
	}
	c.kept[query] = &keptStmt{stmt, true}
	return c.kept[query], nil
}

// keeping is the context key of a query whose statement stays with its
// connection. database/sql would keep one for all connections, and ask for one
// that is free to prepare it on: a second one, while the first reads.
type keeping struct{}

func keep(ctx context.Context) context.Context { return context.WithValue(ctx, keeping{}, true) }

type keptStmt struct {
	*guardedStmt

	lent bool
}

// Close gives it back.
func (s *keptStmt) Close() error {
	s.lent = false
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

// fullStmt is what the driver's statements can.
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

// fullRows is what the driver's rows can.
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
