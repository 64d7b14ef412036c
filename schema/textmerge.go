package schema

import (
	"context"
	"errors"
)

// The text index is made of segments: a commit with text adds one, and a search
// in it looks through all. FTS5 would merge them inside the commits, hundreds of
// pages in every sixtieth or so, and who waits for that one waits long. Here the
// writer does it, a few pages at a time, when nobody waits. Only where it never
// gets to it does FTS5 merge in a commit, sixteen segments at once.
const (
	mergeSegments = 8  // a merge joins so many of one level at least: FTS5's usermerge, set by a migration
	mergeUrgent   = 12 // from so many commits on it does not wait for a pause
	mergePages    = 16 // are written by one step, which takes a millisecond or two
)

// merges reports that there may be something to merge, after so many commits
// with text.
func (db *DB) merges(commits int) bool { return db.unmerged >= commits && !db.opts.NoCheckpoint }

// mergeText merges a few pages of the text index, in a transaction of its own.
func (db *DB) mergeText() {
	// Whoever holds the write lock holds up the next write, which would wait for
	// it twice.
	_ = db.direct.conn.BusyTimeout(0)
	wait := func() { _ = db.direct.conn.BusyTimeout(db.opts.BusyTimeout) }
	defer wait()
	idle := false
	w := &write{ctx: context.Background(), done: make(chan struct{})}
	w.fn = func(ctx context.Context, tx *Tx) (err error) {
		wait() // it has the lock, and others may join it
		idle, err = tx.mergeText(ctx)
		return err
	}
	db.commit([]*write{w})
	if idle || w.err != nil { // what failed is tried again when more has come
		db.unmerged = 0
	}
	if !errors.Is(w.err, ErrBusy) {
		db.note(faultMerge, w.err)
	}
}

// mergeText goes a step on with merging; idle says that there was nothing to do.
func (tx *Tx) mergeText(ctx context.Context) (idle bool, err error) {
	before := tx.db.direct.conn.TotalChanges()
	_, err = tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", int64(mergePages))
	return tx.db.direct.conn.TotalChanges()-before < 2, err // the statement itself is one
}

// finishMerges merges until no merge is half done. While one is, a segment that
// has gone into the new one whole stays in the file, and nothing that is taken
// out of the index is taken out of it.
func (db *DB) finishMerges(ctx context.Context) error {
	for idle := false; !idle; {
		err := db.Write(ctx, func(ctx context.Context, tx *Tx) (err error) {
			idle, err = tx.mergeText(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
