package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/internal/engine"
)

// The errors of [engine]. Every error that leaves this package wraps one of them, is an
// [*InvalidError] or a [*VersionError], is the context's own error, or is an SQLite
// error without a name here. After a failed commit all writes are refused with ErrIO
// until a checkpoint succeeds; each write tries one.
var (
	ErrNotFound    = engine.ErrNotFound
	ErrConflict    = engine.ErrConflict
	ErrReadOnly    = engine.ErrReadOnly
	ErrDiskFull    = engine.ErrDiskFull
	ErrIO          = engine.ErrIO
	ErrCorrupt     = engine.ErrCorrupt
	ErrNotDatabase = engine.ErrNotDatabase
	ErrBusy        = engine.ErrBusy
	ErrClosed      = engine.ErrClosed
)

// InvalidError and VersionError are those of [engine].
type (
	InvalidError = engine.InvalidError
	VersionError = engine.VersionError
)

// Refused turns a violated constraint, such as NOT NULL, into an [*InvalidError]
// for field. It returns other errors unchanged. It is for rows from outside;
// elsewhere a violated constraint is a bug.
func Refused(field string, err error) error {
	if !errors.Is(err, sqlite3.CONSTRAINT) {
		return err
	}
	rule := withoutSQLite(err)
	const failed = "constraint failed: "
	if at := strings.LastIndex(err.Error(), failed); at >= 0 {
		rule = err.Error()[at+len(failed):] // a column, or a condition of the schema
	}
	return &InvalidError{Field: field, Reason: "breaks a rule of the database: " + rule}
}

// named are the errors that classify returns unchanged.
var named = []error{ErrBusy, ErrReadOnly, ErrCorrupt, ErrNotDatabase, ErrDiskFull, ErrIO}

// classify wraps SQLite's errors in the ones above.
func (db *DB) classify(err error) error { return db.classifyAt(db.path, err) }

// classifyAt is classify for an error that may be due to the disk that holds path.
func (db *DB) classifyAt(path string, err error) error {
	if err == nil || slices.ContainsFunc(named, func(kind error) bool { return errors.Is(err, kind) }) {
		return err
	}
	if _, unnamed := errors.AsType[*unnamedError](err); unnamed {
		return err
	}
	wrap := func(kind error) error { return &namedError{kind, err} }
	switch {
	case errors.Is(err, sqlite3.INTERRUPT) && errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, sqlite3.INTERRUPT):
		return wrap(context.Canceled)
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED), errors.Is(err, sqlite3.PROTOCOL):
		return &busyError{err}
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, sqlite3.PERM):
		return wrap(ErrReadOnly)
	case errors.Is(err, sqlite3.CORRUPT):
		return wrap(ErrCorrupt)
	case errors.Is(err, sqlite3.NOTADB):
		return wrap(ErrNotDatabase)
	case errors.Is(err, sqlite3.FULL), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return wrap(ErrDiskFull)
	case (errors.Is(err, sqlite3.IOERR) || errors.Is(err, sqlite3.CANTOPEN)) && db.opts.disk().Full(path):
		// After a failed write, SQLite's own recovery can replace the cause.
		return wrap(ErrDiskFull)
	case errors.Is(err, sqlite3.CANTOPEN) && errors.Is(err, fs.ErrPermission):
		return wrap(ErrReadOnly)
	case errors.Is(err, sqlite3.IOERR), errors.Is(err, sqlite3.CANTOPEN):
		return wrap(ErrIO)
	}
	return asDamage(err)
}

// namedError is one of the errors above with its cause. Its text has SQLite's error
// codes but not its messages, such as "database disk image is malformed", which
// mislead users who do not know SQLite. Unwrap gives them.
type namedError struct{ kind, cause error }

func (e *namedError) Error() string {
	return fmt.Sprintf("%v (%s)", e.kind, withoutSQLite(e.cause))
}

func (e *namedError) Unwrap() []error { return []error{e.kind, e.cause} }

// unnamedError is an SQLite error that has no name here.
type unnamedError struct{ cause error }

func (e *unnamedError) Error() string {
	return fmt.Sprintf("the database refused it (%s)", withoutSQLite(e.cause))
}

func (e *unnamedError) Unwrap() error { return e.cause }

// withoutSQLite returns the text of an error with SQLite's messages replaced by
// codes.
func withoutSQLite(err error) string {
	text := err.Error()
	walk(err, func(e error) {
		var code sqlite3.ExtendedErrorCode
		switch e := e.(type) {
		case *sqlite3.Error:
			code = e.ExtendedCode()
		case sqlite3.ErrorCode:
			code = e.ExtendedCode()
		case sqlite3.ExtendedErrorCode:
			code = e
		default:
			return
		}
		text = strings.ReplaceAll(text, e.Error(), "SQLite code "+strconv.FormatUint(uint64(code), 10))
	})
	return strings.ReplaceAll(text, "sqlite3: ", "") // the driver's prefix
}

// isSQLite reports whether an error wraps one of SQLite's.
func isSQLite(err error) (found bool) {
	walk(err, func(e error) {
		switch e.(type) {
		case *sqlite3.Error, sqlite3.ErrorCode, sqlite3.ExtendedErrorCode:
			found = true
		}
	})
	return found
}

// walk visits an error and all errors it wraps.
func walk(err error, visit func(error)) {
	visit(err)
	switch e := err.(type) { //nolint:errorlint // walk unwraps one level at a time
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			walk(inner, visit)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			walk(inner, visit)
		}
	}
}

// busyError is [ErrBusy] with advice. It omits SQLite's message "database is
// locked", which does not say what to do.
type busyError struct{ cause error } // cause may be nil

func (*busyError) Error() string {
	return ErrBusy.Error() + ", or holds it open: try again, or end the other program first"
}

func (e *busyError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrBusy}
	}
	return []error{ErrBusy, e.cause}
}

// classifyFile is classifyAt for operations that also call the operating system.
func (db *DB) classifyFile(path string, err error) error {
	err = db.classifyAt(path, err)
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil, isFault(err), errors.Is(err, ErrReadOnly), !errors.As(err, &file) && !errors.As(err, &link),
		errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &namedError{ErrReadOnly, err}
	}
	return &namedError{ErrIO, err}
}

// unsaved wraps the error of a write that bypassed SQLite in [ErrIO] or
// [ErrDiskFull]. Overwriting in place can run out of room too, on copy-on-write
// file systems.
func unsaved(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %s: %w", ErrDiskFull, what, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrIO, what, err)
}

// asDamage wraps errors that only a damaged file causes, although SQLite gives them
// other codes, in [ErrCorrupt]. It returns other errors unchanged.
func asDamage(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, ErrCorrupt):
		return err
	case strings.Contains(text, "sql: Scan error"):
		// A column holds a type its table forbids. The value may be user text and
		// is left out.
		return fmt.Errorf("%w: a row holds a value of the wrong type", ErrCorrupt)
	case errors.Is(err, sqlite3.CONSTRAINT_UNIQUE), errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY), errors.Is(err, sqlite3.CONSTRAINT_ROWID), errors.Is(err, sqlite3.CONSTRAINT_NOTNULL):
		// No write of ebb violates these constraints while tables and indexes are
		// intact. (A foreign key can be violated: its target may have been erased
		// meanwhile.)
		return &namedError{ErrCorrupt, err}
	case slices.ContainsFunc(damageCodes, func(code error) bool { return errors.Is(err, code) }):
		return &namedError{ErrCorrupt, err}
	case isSQLite(err):
		return &unnamedError{err}
	}
	return err
}

// damageCodes are the codes of errors that ebb's own statements cause only in a
// damaged file: a missing table or column, a value of the wrong type or an
// impossible size.
var damageCodes = []error{
	sqlite3.ERROR, sqlite3.SCHEMA, sqlite3.MISMATCH, sqlite3.FORMAT, sqlite3.INTERNAL, sqlite3.NOMEM, sqlite3.TOOBIG,
	sqlite3.CONSTRAINT_DATATYPE,
}
