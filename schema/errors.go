package schema

import (
	"fmt"
	"runtime"

	"github.com/ebbmem/ebb/internal/sqlite"
)

// The errors a caller can tell apart with errors.Is. Every error that leaves
// this package wraps one of them, is an [*InvalidError] or a [*VersionError],
// is the context's own error, or is a fault of SQLite that has no name here.
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
	// ErrIO means the disk failed to read, write or save something. Nothing of
	// the write was kept, as far as the disk obeys. After a commit that failed
	// like this no write is taken until a checkpoint has proven that the disk
	// works again; each write tries.
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
)

// InvalidError says which input cannot be used and why. Nothing was changed.
type InvalidError = sqlite.InvalidError

// VersionError means the file was written by a newer ebb, or by one from before
// the first release.
type VersionError = sqlite.VersionError

// Refused gives the refusal of a row by a rule of the database, such as a text
// that must not be missing, the form of bad input. Other errors it returns as
// they are. It is for rows that come from outside; otherwise the code is wrong.
func Refused(field string, err error) error { return sqlite.Refused(field, err) }

// Guard runs f, which works on rows that were read, and returns an error in place
// of the runtime's panic: rows that contradict each other lead code astray that
// is right for every file a program of ours has written. Other panics go on.
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
