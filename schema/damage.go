package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// asDamage recognises errors that come of a damaged file, although SQLite gives
// them codes that say otherwise. Others pass.
func asDamage(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, ErrCorrupt):
		return err
	case strings.Contains(text, "sql: Scan error"):
		// A column that holds what its table forbids. The value, which may be
		// anybody's text, is left out.
		return fmt.Errorf("%w: a row holds a value of the wrong type", ErrCorrupt)
	case errors.Is(err, sqlite3.CONSTRAINT_UNIQUE), errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY), errors.Is(err, sqlite3.CONSTRAINT_ROWID):
		// No write of ebb's breaks these while tables and indexes are whole. (A
		// reference can break: what it led to was erased in the meantime.)
		return &namedError{ErrCorrupt, err}
	case slices.ContainsFunc(damageCodes, func(code error) bool { return errors.Is(err, code) }):
		return &namedError{ErrCorrupt, err}
	case isSQLite(err):
		return &unnamedError{err}
	}
	return err
}

// damageCodes are what SQLite says of statements of ebb's own, which every whole
// file bears: a table or column that is missing, a value of another type or a size
// that none can have.
var damageCodes = []error{
	sqlite3.ERROR, sqlite3.SCHEMA, sqlite3.MISMATCH, sqlite3.FORMAT, sqlite3.INTERNAL, sqlite3.NOMEM, sqlite3.TOOBIG,
	sqlite3.CONSTRAINT_DATATYPE,
}
