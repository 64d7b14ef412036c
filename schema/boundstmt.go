package schema

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// prepareToStay prepares a statement that is used again and again. SQLite keeps
// it out of the small memory that each connection has for what comes and goes,
// which a few such statements would fill for ever.
func prepareToStay(conn *sqlite3.Conn, query string) (*sqlite3.Stmt, error) {
	stmt, _, err := conn.PrepareFlags(query, sqlite3.PREPARE_PERSISTENT)
	return stmt, err
}

// boundStmt is a statement that stays prepared, with the texts that its parameters
// have: the short ones are the same in row after row, and each costs SQLite a
// piece of memory. It has them until [boundStmt.forget], at the end of a
// transaction; long ones until the end of their row.
type boundStmt struct {
	*sqlite3.Stmt

	texts []any // a string or []byte, or nil where a parameter has something else
	used  bool  // since forget
}

func newBoundStmt(stmt *sqlite3.Stmt) *boundStmt {
	return &boundStmt{Stmt: stmt, texts: make([]any, stmt.BindCount())}
}

// maxBound is the longest text that a parameter has for longer than one row, in
// bytes.
const maxBound = 64

// bind gives the parameters their values.
func (s *boundStmt) bind(args []any) error {
	for i, arg := range args {
		value, err := bindable(arg)
		if err != nil {
			return err
		}
		text, isText := value.(string)
		if isText && s.texts[i] == any(text) {
			continue
		}
		s.texts[i] = nil // until it has the value: it may be refused
		if err := bind(s.Stmt, i+1, value); err != nil {
			return err
		}
		if _, isBlob := value.([]byte); isText || isBlob {
			s.texts[i] = value
		}
	}
	return nil
}

// letGo takes back what is long: it is another for the next row.
func (s *boundStmt) letGo() error {
	for i, value := range s.texts {
		text, short := value.(string)
		if value == nil || short && len(text) <= maxBound {
			continue
		}
		s.texts[i] = nil
		if err := s.BindNull(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// forget takes back everything: nobody's words and names stay for the next
// transaction.
func (s *boundStmt) forget(g *guard) {
	clear(s.texts)
	s.used = false
	_ = g.call(s.ClearBindings) // a connection that is broken is not used again
}

// bindable is a value as SQLite takes it.
func bindable(arg any) (any, error) {
	switch arg.(type) {
	case nil, int64, float64, bool, string, []byte:
		return arg, nil
	}
	return sqldriver.DefaultParameterConverter.ConvertValue(arg)
}

func bind(s *sqlite3.Stmt, i int, value any) error {
	switch v := value.(type) {
	case nil:
		return s.BindNull(i)
	case int64:
		return s.BindInt64(i, v)
	case float64:
		return s.BindFloat(i, v)
	case bool:
		return s.BindBool(i, v)
	case string:
		return s.BindText(i, v)
	case []byte:
		return s.BindBlob(i, v)
	case time.Time:
		return errors.New("schema: a time.Time cannot be stored; use a Time")
	}
	return fmt.Errorf("schema: a %T cannot be stored", value)
}
