package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
	"github.com/uptrace/bun"
)

// direct is the writer's connection without database/sql in between, for what
// every commit does. It is used by writeLoop alone, as the connection is.
type direct struct {
	guard      *guard
	conn       *sqlite3.Conn
	log        *logFile // nil until the first commit
	statements map[string]*boundStmt
	used       []*boundStmt // by the transaction
}

func newDirect(conn bun.Conn) (*direct, error) {
	d := &direct{statements: make(map[string]*boundStmt)}
	err := conn.Raw(func(conn any) error {
		guarded, ok := conn.(*guardedConn)
		if !ok {
			return fmt.Errorf("schema: a connection of type %T", conn)
		}
		d.guard, d.conn = &guarded.guard, guarded.Raw()
		d.conn.SetInterrupt(context.Background()) // it is left with the context that it was opened in
		return nil
	})
	return d, err
}

func (d *direct) close() error {
	var errs []error
	for _, s := range d.statements {
		errs = append(errs, d.guard.call(s.Close))
	}
	return errors.Join(errs...)
}

// exec runs a statement, prepared once, that returns no rows.
func (d *direct) exec(query string, args ...any) error {
	return d.guard.call(func() error { return d.run(query, args) })
}

func (d *direct) run(query string, args []any) error {
	s := d.statements[query]
	if s == nil {
		stmt, err := prepareToStay(d.conn, query)
		if err != nil {
			return err
		}
		s = newBoundStmt(stmt)
		d.statements[query] = s
	}
	if len(s.texts) != len(args) {
		return fmt.Errorf("schema: %d arguments for %d parameters of %q", len(args), len(s.texts), query)
	}
	if !s.used {
		s.used, d.used = true, append(d.used, s)
	}
	if err := s.bind(args); err != nil {
		return err
	}
	return errors.Join(s.Exec(), s.letGo())
}

// forget takes back what statements were given. It ends a transaction.
func (d *direct) forget() {
	for _, s := range d.used {
		s.forget(d.guard)
	}
	d.used = d.used[:0]
}

// result is what a statement did.
func (d *direct) result() sql.Result {
	return result{d.conn.LastInsertRowID(), d.conn.Changes()}
}

type result struct{ id, rows int64 }

func (r result) LastInsertId() (int64, error) { return r.id, nil }
func (r result) RowsAffected() (int64, error) { return r.rows, nil }

// commit ends a transaction. What it writes to the log is gathered.
func (d *direct) commit() error {
	if d.log == nil { // it is open by now
		file, _ := logOf(d.conn)
		log, ok := file.(*logFile)
		if !ok {
			return fmt.Errorf("schema: a log of type %T", file)
		}
		d.log = log
	}
	d.log.gather()
	if err := d.exec("COMMIT"); err != nil {
		d.log.drop()
		return err
	}
	return d.log.release()
}
