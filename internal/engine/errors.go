package engine

import (
	"errors"
	"fmt"
)

// Errors that a caller can distinguish with errors.Is.
var (
	// ErrNotFound means that the scope has no such record. A record of another user
	// is reported in the same way.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that the record changed since it was read (compare-and-swap
	// on version), or that a lease was lost. Read again and retry.
	ErrConflict = errors.New("changed by someone else in the meantime")
	// ErrLeaseHeld is the ErrConflict of a lease that another holder has.
	ErrLeaseHeld = fmt.Errorf("is held by another: %w", ErrConflict)
	// ErrReadOnly means that the file or the open mode does not allow writing.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrDiskFull means that the disk has no room; nothing of the write was kept.
	// Reads go on, and writes succeed again once there is room.
	ErrDiskFull = errors.New("the disk is full")
	// ErrIO means that the disk failed to read, write or sync, or that the server
	// cannot be reached.
	ErrIO = errors.New("the disk failed")
	// ErrCorrupt means that the file is damaged. `ebb doctor` diagnoses it.
	ErrCorrupt = errors.New("the database file is damaged")
	// ErrNotDatabase means that the file is not an ebb database: another program's
	// file, a plain file, or an empty one.
	ErrNotDatabase = errors.New("the file is not an ebb database")
	// ErrBusy means that another process held the write lock for longer than the
	// busy timeout. Nothing of the write was kept; it can be retried.
	ErrBusy = errors.New("another process is writing to this file")
	// ErrClosed means that the database was closed.
	ErrClosed = errors.New("the database is closed")
	// ErrFileOnly means that only a memory in a file can do what was asked.
	ErrFileOnly = errors.New("only a memory in a file can do this")
)

// InvalidError reports an input that cannot be used. Nothing was changed.
type InvalidError struct {
	Field  string // the field or parameter, for instance "Scope.User"
	Reason string // what is wrong and what would be right
}

func (e *InvalidError) Error() string { return e.Field + " " + e.Reason }

// VersionError means that the database was written by a newer ebb, or by one from
// before the first release.
type VersionError struct {
	Found             int
	Oldest, Supported int // the versions that this ebb knows
}

func (e *VersionError) Error() string {
	if e.Found < e.Oldest {
		return fmt.Sprintf("the file has schema version %d, of an ebb from before the first release; this one knows versions from %d on: export the memory with that ebb and import it here",
			e.Found, e.Oldest)
	}
	return fmt.Sprintf("the file has schema version %d, this ebb knows up to %d: use a newer ebb", e.Found, e.Supported)
}

// ConstraintError means that a server refused a row that breaks a rule of the schema.
type ConstraintError struct {
	Rule  string
	Cause error
}

func (e *ConstraintError) Error() string { return "the database refused it: " + e.Rule }

func (e *ConstraintError) Unwrap() error { return e.Cause }
