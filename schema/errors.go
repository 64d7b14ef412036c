package schema

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
)

// The errors a caller can tell apart with errors.Is. Every error that leaves
// this package wraps one of them, is an [*InvalidError] or a [*VersionError],
// is the context's own error, or is a fault of SQLite that has no name here.
var (
	// ErrNotFound means there is no such record in this scope. A record of
	// another user is reported in the same way.
	ErrNotFound = errors.New("not found")
	// ErrConflict means the record changed since it was read (compare-and-swap
	// on version), or a lease was lost. Read again and retry.
	ErrConflict = errors.New("changed by someone else in the meantime")
	// ErrReadOnly means the file or the open mode does not allow writing.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrDiskFull means there was no room; nothing of the write was kept.
	// Reading goes on, and writing too once there is room.
	ErrDiskFull = errors.New("the disk is full")
	// ErrIO means the disk failed to read, write or save something. Nothing of
	// the write was kept, as far as the disk obeys. After a commit that failed
	// like this no write is taken until a checkpoint has proven that the disk
	// works again; each write tries.
	ErrIO = errors.New("the disk failed")
	// ErrCorrupt means the file is damaged. `ebb doctor` diagnoses it.
	ErrCorrupt = errors.New("the database file is damaged")
	// ErrNotDatabase means the file is not an ebb database: another program's
	// file, a plain file, or one of zero bytes.
	ErrNotDatabase = errors.New("the file is not an ebb database")
	// ErrBusy means another process held the write lock for longer than the
	// busy timeout. Nothing of the write was kept; the same may be tried again.
	ErrBusy = errors.New("another process is writing to this file")
	// ErrClosed means the database was closed.
	ErrClosed = errors.New("the database is closed")
)

// InvalidError says which input cannot be used and why. Nothing was changed.
type InvalidError struct {
	Field  string // the field or parameter, for instance "Scope.User"
	Reason string // what is wrong and what would be right
}

func (e *InvalidError) Error() string { return e.Field + " " + e.Reason }

// VersionError means the file was written by a newer ebb.
type VersionError struct {
	Found, Supported int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the file has schema version %d, this ebb knows up to %d: use a newer ebb", e.Found, e.Supported)
}

// Refused gives the refusal of a row by a rule of the database, such as a text
// that must not be missing, the form of bad input. Other errors it returns as
// they are. It is for rows that come from outside; otherwise the code is wrong.
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

// named are the errors that say already what they are.
var named = []error{ErrBusy, ErrReadOnly, ErrCorrupt, ErrNotDatabase, ErrDiskFull, ErrIO}

// classify gives SQLite's error codes the names above. It keeps the cause.
func (db *DB) classify(err error) error { return db.classifyAt(db.path, err) }

// classifyAt does so for a fault that may be of the disk which holds path.
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
		// What SQLite does after a failed write can make it forget why.
		return wrap(ErrDiskFull)
	case errors.Is(err, sqlite3.CANTOPEN) && errors.Is(err, fs.ErrPermission):
		return wrap(ErrReadOnly)
	case errors.Is(err, sqlite3.IOERR), errors.Is(err, sqlite3.CANTOPEN):
		return wrap(ErrIO)
	}
	return asDamage(err)
}

// namedError is one of the errors above with its cause. What SQLite says is left
// out of its text: that a disk image is malformed helps only those who know
// SQLite, and they have its code and Unwrap.
type namedError struct{ kind, cause error }

func (e *namedError) Error() string {
	return fmt.Sprintf("%v (%s)", e.kind, withoutSQLite(e.cause))
}

func (e *namedError) Unwrap() []error { return []error{e.kind, e.cause} }

// unnamedError is a fault of SQLite's that has no name here.
type unnamedError struct{ cause error }

func (e *unnamedError) Error() string {
	return fmt.Sprintf("the database refused it (%s)", withoutSQLite(e.cause))
}

func (e *unnamedError) Unwrap() error { return e.cause }

// withoutSQLite is an error's text with SQLite's codes in place of its words.
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
	return strings.ReplaceAll(text, "sqlite3: ", "") // what the driver puts before
}

// isSQLite reports that an error wraps one of SQLite's.
func isSQLite(err error) (found bool) {
	walk(err, func(e error) {
		switch e.(type) {
		case *sqlite3.Error, sqlite3.ErrorCode, sqlite3.ExtendedErrorCode:
			found = true
		}
	})
	return found
}

// walk visits an error and what it wraps.
func walk(err error, visit func(error)) {
	visit(err)
	switch e := err.(type) { //nolint:errorlint // each by itself
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

// busyError is [ErrBusy] with what to do about it. What SQLite calls it is left
// out: that a database is locked helps nobody who did not lock it.
type busyError struct{ cause error } // the cause may be nil

func (*busyError) Error() string {
	return ErrBusy.Error() + ", or holds it open: try again, or end the other program first"
}

func (e *busyError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrBusy}
	}
	return []error{ErrBusy, e.cause}
}

// classifyFile does the same for what also asks the operating system.
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

// unsaved names what was written without SQLite, and not by the disk. There may
// be no room even for what is written over itself, where that is not in place.
func unsaved(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %s: %w", ErrDiskFull, what, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrIO, what, err)
}
