package schema

import (
	"context"
	"time"
)

// How often a read-only database looks whether the log is being moved, and how
// long it waits in between: whoever writes tries more often than all of it takes,
// which littleLatest, turnLatest and paceLatest bound.
const (
	heldLooks = 18
	heldPause = 250 * time.Millisecond
)

// LogHeld is how many pages of the write-ahead log cannot be moved into the
// file, since a reader in this or another process still needs the old ones.
// While it stays above 0 the log grows. It is what was seen when that was last
// tried. A read-only database tries nothing: it watches for up to four seconds
// whether somebody else gets on, and can tell on Linux alone.
//
// Errors: the database's, the context's.
func (db *DB) LogHeld(ctx context.Context) (pages int64, err error) {
	if !db.opts.ReadOnly {
		return db.logHeld.Load(), nil
	}
	if db.opts.immutable || db.opts.VFS != "" {
		return 0, nil
	}
	first := int64(-1)
	for range heldLooks {
		if !readsLog(db.path) {
			return 0, nil // what waits was written by somebody who is gone, or just now
		}
		var busy, frames, moved int64
		if err := db.readers.QueryRowContext(ctx, "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &frames, &moved); err != nil {
			return 0, db.readError(ctx, err)
		}
		if first < 0 {
			first = frames
		}
		if moved >= first || frames < first {
			return 0, nil // somebody gets on with it
		}
		pages = frames - moved
		select {
		case <-time.After(heldPause):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return pages, nil
}
