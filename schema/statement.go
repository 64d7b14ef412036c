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

// statement is one that stays prepared, with what its parameters were given last.
type statement struct {
	*sqlite3.Stmt

	bound []any
}

func newStatement(stmt *sqlite3.Stmt) *statement {
	return &statement{stmt, make([]any, stmt.BindCount())}
}

// maxBound is the longest text that a statement keeps, in bytes.
const maxBound = 64

// bind gives the parameter i, from 0, a value. Most are what they were for the
// row before, and SQLite has them.
func (s *statement) bind(i int, arg any) (err error) {
	switch arg.(type) {
	case nil, int64, float64, bool, string, []byte:
	case time.Time:
		return errors.New("schema: a time.Time cannot be stored; use a Time")
	default:
		if arg, err = sqldriver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return err
		}
	}
	if _, blob := arg.([]byte); !blob && arg == s.bound[i] {
		return nil
	}
	s.bound[i] = nil // as SQLite leaves it when it refuses the value
	if err := s.give(i+1, arg); err != nil {
		return err
	}
	s.bound[i] = arg
	return nil
}

func (s *statement) give(param int, arg any) error {
	switch a := arg.(type) {
	case nil:
		return s.BindNull(param)
	case int64:
		return s.BindInt64(param, a)
	case float64:
		return s.BindFloat(param, a)
	case bool:
		return s.BindBool(param, a)
	case string:
		return s.BindText(param, a)
	case []byte:
		return s.BindBlob(param, a)
	}
	return fmt.Errorf("schema: a %T cannot be stored", arg)
}

// letGo takes back what is long: it is another for the next row.
func (s *statement) letGo() error {
	for i, arg := range s.bound {
		long := false
		switch a := arg.(type) {
		case string:
			long = len(a) > maxBound
		case []byte:
			long = true
		}
		if long {
			s.bound[i] = nil
			if err := s.BindNull(i + 1); err != nil {
				return err
			}
		}
	}
	return nil
}
