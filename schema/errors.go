package schema

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
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
	if errors.Is(err, sqlite3.CONSTRAINT) {
		return &InvalidError{Field: field, Reason: "breaks a rule of the database: " + err.Error()}
	}
	return err
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
	wrap := func(kind error) error { return fmt.Errorf("%w (%w)", kind, err) }
	switch {
	case errors.Is(err, sqlite3.INTERRUPT):
		return wrap(context.Canceled)
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED):
		return &busyError{err}
	case errors.Is(err, sqlite3.READONLY):
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
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	return fmt.Errorf("%w (%w)", ErrIO, err)
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
