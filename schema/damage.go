package schema

import (
	"errors"
	"fmt"
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
		return fmt.Errorf("%w (%w)", ErrCorrupt, err)
	case errors.Is(err, sqlite3.ERROR) && containsAny(text, "no such table", "no such column", "malformed JSON", "fts5", "vtable constructor failed"):
		return fmt.Errorf("%w (%w)", ErrCorrupt, err)
	}
	return err
}

func containsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
