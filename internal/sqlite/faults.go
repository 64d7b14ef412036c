package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ebbmem/ebb/internal/engine"
)

// The sources of failures in the background.
const (
	faultCommit     = "commit"     // writes are refused until recoverLog succeeds
	faultCheckpoint = "checkpoint" // the log grows until it works again
	faultMark       = "mark"       // a truncated log might go undetected
	faultMoved      = "moved"      // writes are refused until the file is back
	faultMerge      = "merge"      // the text index gets slower to search and to write
)

// Fault is that of [engine].
type Fault = engine.Fault

// faults holds the failures that persist.
type faults struct {
	mu       sync.Mutex
	bySource map[string]Fault
}

// Faults lists the background work of this database that fails at present, newest
// failure first: "commit" while writes are refused after a failed commit,
// "checkpoint" while the write-ahead log cannot be copied into the file, "mark"
// while the progress mark beside the file cannot be written, "moved" while writes are
// refused because the file is no longer at its path, "merge" while the segments of the
// text index cannot be merged. A source that succeeds again is no longer listed.
func (db *DB) Faults() []Fault {
	db.faults.mu.Lock()
	defer db.faults.mu.Unlock()
	return slices.SortedFunc(maps.Values(db.faults.bySource), func(a, b Fault) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt), cmp.Compare(a.Source, b.Source))
	})
}

// recordFault records the outcome of one attempt and reports a failure to the host.
func (db *DB) recordFault(source string, err error) {
	if err == nil {
		db.faults.mu.Lock()
		delete(db.faults.bySource, source)
		db.faults.mu.Unlock()
		return
	}
	now := db.Now() // calls the host's clock, so not under the lock
	db.faults.mu.Lock()
	f, known := db.faults.bySource[source]
	if !known {
		f = Fault{Source: source, FirstAt: now}
	}
	f.Count, f.LastAt, f.Error = f.Count+1, now, err.Error()
	if db.faults.bySource == nil {
		db.faults.bySource = make(map[string]Fault)
	}
	db.faults.bySource[source] = f
	db.faults.mu.Unlock()
	if db.opts.OnFault != nil {
		db.opts.OnFault(source, err)
	}
}

// isFault reports whether err is an error of the disk, as opposed to one of the
// input.
func isFault(err error) bool { return errors.Is(err, ErrIO) || errors.Is(err, ErrDiskFull) }

// recoverLog makes the log safe to append to after a commit that failed on the
// disk.
//
// After a failed fsync the kernel may have dropped some dirty pages and still
// return their content to readers: to this process, to a checkpoint and to the next
// process that opens the file. A transaction appended to such a log would be lost
// with it, although its own fsync succeeds. So recoverLog first checkpoints all
// acknowledged commits into the file, syncs it and truncates the log, which also
// drops the unacknowledged rest. Until that succeeds, every write is refused.
func (db *DB) recoverLog(ctx context.Context) error {
	if db.failedCommit == nil {
		return nil
	}
	err := db.truncate(ctx, db.conn, db.opts.BusyTimeout)
	if err == nil {
		db.failedCommit = nil
		db.recordFault(faultCommit, nil)
		return nil
	}
	kind := ErrIO
	if err = db.classify(err); errors.Is(err, ErrDiskFull) {
		kind = ErrDiskFull
	}
	err = fmt.Errorf("%w: no write is taken after a commit that failed (%v), until what was stored before is safe: %w", kind, db.failedCommit, err)
	db.recordFault(faultCommit, err)
	return err
}
