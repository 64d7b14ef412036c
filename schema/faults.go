package schema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// The sources of what fails behind callers.
const (
	faultCommit     = "commit"     // writes are refused until the log is mended
	faultCheckpoint = "checkpoint" // the log grows until it works again
	faultMark       = "mark"       // a loss of the log's end might not be noticed
	faultMerge      = "merge"      // the text index gets slower to search and to write
)

// faults holds what does not work at present.
type faults struct {
	mu       sync.Mutex
	bySource map[string]Failure
}

// Faults lists what does not work at present behind the callers of this
// database, newest first: "commit" while writes are refused after a commit that
// failed, "checkpoint" while the write-ahead log cannot be moved into the file, "mark"
// while how far the file has got cannot be noted beside it, "merge" while the
// segments of the text index cannot be merged.
// What works again is no longer listed.
func (db *DB) Faults() []Failure {
	db.faults.mu.Lock()
	defer db.faults.mu.Unlock()
	return slices.SortedFunc(maps.Values(db.faults.bySource), func(a, b Failure) int {
		return cmp.Or(b.LastAt.Compare(a.LastAt.Time), cmp.Compare(a.Source, b.Source))
	})
}

// note keeps the outcome of one attempt and tells the host of a failure.
func (db *DB) note(source string, err error) {
	now := At(db.opts.Now()) // a host's function is called without a lock
	db.faults.mu.Lock()
	if err == nil {
		delete(db.faults.bySource, source)
		db.faults.mu.Unlock()
		return
	}
	f, known := db.faults.bySource[source]
	if !known {
		f = Failure{Source: source, FirstAt: now}
	}
	f.Count, f.LastAt, f.Error = f.Count+1, now, err.Error()
	if db.faults.bySource == nil {
		db.faults.bySource = make(map[string]Failure)
	}
	db.faults.bySource[source] = f
	db.faults.mu.Unlock()
	if db.opts.OnFault != nil {
		db.opts.OnFault(source, err)
	}
}

// isFault reports an error of the disk, as opposed to one of the input.
func isFault(err error) bool { return errors.Is(err, ErrIO) || errors.Is(err, ErrDiskFull) }

// mend makes the log trustworthy again after a commit that failed on the disk.
//
// Of what a failed fsync should have saved, the kernel may have thrown away
// some and still show all: to us, to a checkpoint and to whoever opens the file
// next, as if it had been stored. A transaction appended to such a log would be
// lost with it, although its own fsync succeeds. So all that was acknowledged
// is first written into the file itself and synced there, and the log, with
// what nobody was promised, is emptied. Until that has worked, nothing is
// written.
func (db *DB) mend(ctx context.Context) error {
	if db.suspect == nil {
		return nil
	}
	err := db.truncate(ctx, db.conn, db.opts.BusyTimeout)
	if err == nil {
		db.suspect = nil
		db.note(faultCommit, nil)
		return nil
	}
	kind := ErrIO
	if err = db.classify(err); errors.Is(err, ErrDiskFull) {
		kind = ErrDiskFull
	}
	err = fmt.Errorf("%w: no write is taken after a commit that failed (%v), until what was stored before is safe: %w", kind, db.suspect, err)
	db.note(faultCommit, err)
	return err
}
