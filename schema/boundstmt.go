package schema

import (
	sqldriver "database/sql/driver"
	"errors"
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

// boundStmt is a statement that stays prepared, with the short texts that its
// parameters have: most are the same in row after row, and each costs SQLite a
// piece of memory. It has them until [boundStmt.forget], at the end of a
// transaction.
type boundStmt struct {
	*sqlite3.Stmt

	texts []any // nil where a parameter has something else
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
		if text, is := arg.(string); is && s.texts[i] == any(text) {
			continue
		}
		s.texts[i] = nil
		if err := bind(s.Stmt, i+1, arg); err != nil {
			return err
		}
		if _, is := arg.(string); is {
			s.texts[i] = arg
		}
	}
	return nil
}

// letGo takes back what is long: it is another for the next row.
func (s *boundStmt) letGo(args []any) error {
	for i, arg := range args {
		long := false
		switch a := arg.(type) {
		case string:
			long = len(a) > maxBound
		case []byte:
			long = true
		}
		if long {
			s.texts[i] = nil
			if err := s.BindNull(i + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget takes back everything: nobody's words and names stay for the next
// transaction.
func (s *boundStmt) forget() error {
	clear(s.texts)
	s.used = false
	return s.ClearBindings()
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
