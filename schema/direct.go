package schema

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/uptrace/bun"
)

// direct is the writer's connection without database/sql in between, for what
// every commit does. It is used by writeLoop alone, as the connection is.
type direct struct {
	guard      *guard
	conn       *sqlite3.Conn
	log        *logFile // nil until the first commit
	statements map[string]*sqlite3.Stmt
}

func newDirect(conn bun.Conn) (*direct, error) {
	d := &direct{statements: make(map[string]*sqlite3.Stmt)}
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
		var err error
		if s, _, err = d.conn.Prepare(query); err != nil {
			return err
		}
		d.statements[query] = s
	}
	if n := s.BindCount(); n != len(args) {
		return fmt.Errorf("schema: %d arguments for %d parameters of %q", len(args), n, query)
	}
	for i, arg := range args {
		if err := bind(s, i+1, arg); err != nil {
			return err
		}
	}
	return errors.Join(s.Exec(), s.ClearBindings())
}

func bind(s *sqlite3.Stmt, i int, arg any) error {
	switch a := arg.(type) {
	case nil:
		return s.BindNull(i)
	case int64:
		return s.BindInt64(i, a)
	case float64:
		return s.BindFloat(i, a)
	case bool:
		return s.BindBool(i, a)
	case string:
		return s.BindText(i, a)
	case []byte:
		return s.BindBlob(i, a)
	case time.Time:
		return errors.New("schema: a time.Time cannot be stored; use a Time")
	}
	value, err := sqldriver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return err
	}
	return bind(s, i, value)
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
