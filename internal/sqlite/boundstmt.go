package sqlite

import (
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// preparePersistent prepares a statement that is kept for reuse. The flag keeps
// SQLite from placing it in the connection's small lookaside memory, which a few
// long-lived statements would exhaust.
func preparePersistent(conn *sqlite3.Conn, query string) (*sqlite3.Stmt, error) {
	stmt, _, err := conn.PrepareFlags(query, sqlite3.PREPARE_PERSISTENT)
	return stmt, err
}

// boundStmt is a kept statement that remembers the texts bound to its parameters.
// Short texts often repeat from row to row, and binding one again costs an
// allocation in SQLite. Long texts are unbound after each row
// ([boundStmt.releaseLong]), all of them at the end of the transaction
// ([boundStmt.clearBindings]).
type boundStmt struct {
	*sqlite3.Stmt

	texts []any // a string or []byte, or nil where a parameter has something else
	used  bool  // since the last clearBindings
}

func newBoundStmt(stmt *sqlite3.Stmt) *boundStmt {
	return &boundStmt{Stmt: stmt, texts: make([]any, stmt.BindCount())}
}

// maxBound is the longest text, in bytes, that stays bound after its row.
const maxBound = 64

// bind sets the parameters of the statement.
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
		s.texts[i] = nil // in case bind fails
		if err := bind(s.Stmt, i+1, value); err != nil {
			return err
		}
		if _, isBlob := value.([]byte); isText || isBlob {
			s.texts[i] = value
		}
	}
	return nil
}

// releaseLong unbinds long values, which are unlikely to repeat in the next row.
func (s *boundStmt) releaseLong() error {
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

// clearBindings unbinds everything, so that no user text outlives the transaction.
func (s *boundStmt) clearBindings(g *guard) {
	clear(s.texts)
	s.used = false
	_ = g.call(s.ClearBindings) // a connection that is broken is not used again
}

// bindable converts a value to a type that SQLite stores.
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
		return errors.New("sqlite: a time.Time cannot be stored; use a Time")
	}
	return fmt.Errorf("sqlite: a %T cannot be stored", value)
}
