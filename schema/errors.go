package schema

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/sqlite"
)

// Errors to compare with errors.Is. Every error that this package returns wraps one of
// them, is an [*InvalidError] or a [*VersionError], is the context's error, or is an
// SQLite error that has no equivalent here.
var (
	// ErrNotFound means there is no such record in this scope. A record of
	// another user is reported in the same way.
	ErrNotFound = sqlite.ErrNotFound
	// ErrConflict means the record changed since it was read (compare-and-swap
	// on version), or a lease was lost. Read again and retry.
	ErrConflict = sqlite.ErrConflict
	// ErrReadOnly means the file or the open mode does not allow writing.
	ErrReadOnly = sqlite.ErrReadOnly
	// ErrDiskFull means there was no room; nothing of the write was kept.
	// Reading goes on, and writing too once there is room.
	ErrDiskFull = sqlite.ErrDiskFull
	// ErrIO means that the disk failed to read, write or sync. Nothing of the write
	// was kept, as far as the disk keeps its promises. After a failed commit all
	// writes are refused until a checkpoint succeeds; each write tries one.
	ErrIO = sqlite.ErrIO
	// ErrCorrupt means the file is damaged. `ebb doctor` diagnoses it.
	ErrCorrupt = sqlite.ErrCorrupt
	// ErrNotDatabase means the file is not an ebb database: another program's
	// file, a plain file, or one of zero bytes.
	ErrNotDatabase = sqlite.ErrNotDatabase
	// ErrBusy means another process held the write lock for longer than the
	// busy timeout. Nothing of the write was kept; the same may be tried again.
	ErrBusy = sqlite.ErrBusy
	// ErrClosed means the database was closed.
	ErrClosed = sqlite.ErrClosed
	// ErrFileOnly means that only a memory in a file can do what was asked; see
	// [Capabilities].
	ErrFileOnly = engine.ErrFileOnly
)

// InvalidError reports an input that cannot be used. Nothing was changed.
type InvalidError = sqlite.InvalidError

// VersionError means the file was written by a newer ebb, or by one from before
// the first release.
type VersionError = sqlite.VersionError

// Refused turns a violated constraint, such as NOT NULL, into an [*InvalidError] for
// field. It returns other errors unchanged. It is for rows from outside; elsewhere a
// violated constraint is a bug.
func Refused(field string, err error) error {
	if broken, is := errors.AsType[*engine.ConstraintError](err); is {
		return &InvalidError{Field: field, Reason: "breaks a rule of the database: " + broken.Rule}
	}
	return sqlite.Refused(field, err)
}

// Guard runs f, which works on rows that were read, and returns [ErrCorrupt] in place of
// a runtime panic, such as an index out of range caused by rows that contradict each
// other. It does not recover other panics.
func Guard(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: its rows contradict each other (%w)", ErrCorrupt, r)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}
