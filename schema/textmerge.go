package schema

import (
	"context"
	"errors"
	"time"
)

// The text index is made of segments, in levels: a commit with text adds one to
// the lowest, and a search looks through all. FTS5 would merge them inside the
// commits, hundreds of pages in every sixtieth or so, and who waits for that one
// waits long. Here the writer does it, a few pages at a time: in pauses one step
// after the other, and where there are none in smaller ones. Those that keep the
// lowest level small come at once; the rest leave most of the time to those who
// write, until far too much has gathered.
// FTS5 itself merges where a commit finds sixteen segments in the lowest level,
// and then in each level above that has as many, however large they are.
const (
	mergeSegments = 8  // a merge joins so many of one level at least: FTS5's usermerge, set by a migration
	mergeUrgent   = 12 // in the lowest level are not left to a pause
	mergeLate     = 32 // in any other wait for nobody
	mergePages    = 16 // are written by a step in a pause, which takes some milliseconds
	mergeFew      = 4  // and by one in none; either goes on to the end of a word
	mergeRest     = 4  // times as long as a step took, there is none after it but an urgent one

	mergePause = time.Millisecond // between two steps in a pause: other processes write, too
)

// merging is what the writer knows of merging text.
type merging struct {
	newest int       // segments in the lowest level; the writer has counted since the last step
	most   int       // in any level, at the last step
	merged int       // by a merge that was half done then
	paused bool      // the last step was made in a pause, which goes on
	rest   time.Time // until then no step that is not urgent, but in a pause
}

// some reports that there is something to merge.
func (m *merging) some() bool { return m.merged > 0 || max(m.newest, m.most) >= mergeSegments }

// wait is how long nobody writes before there is a step; false when there is
// nothing to merge.
func (m *merging) wait() (time.Duration, bool) {
	switch {
	case !m.some():
		return 0, false
	case m.paused:
		return mergePause, true
	default:
		return writePause, true
	}
}

// pages are how many a step may write now, in a pause or between two commits.
func (m *merging) pages(now time.Time, pause bool) int64 {
	switch {
	case !m.some():
		return 0
	case pause:
		return mergePages
	case m.merged >= mergeUrgent:
		return mergePages // FTS5 goes on with it before it turns to a lowest level of fewer
	case m.newest >= mergeUrgent || m.most >= mergeLate:
		return mergeFew
	case (m.merged > 0 || m.most >= mergeSegments) && !now.Before(m.rest):
		return mergeFew
	default:
		return 0
	}
}

// mergeBetween merges a step, if it is time for one. There is a pause when
// nobody has written.
func (db *DB) mergeBetween(pause bool) {
	if db.opts.NoCheckpoint || len(db.queue) > 0 {
		return
	}
	m, began := &db.merging, time.Now()
	pages := m.pages(began, pause)
	m.paused = pause && pages > 0
	if pages == 0 {
		return
	}
	db.mergeText(pages)
	now := time.Now()
	m.rest = now.Add(mergeRest * now.Sub(began))
}

// mergeText merges some pages of the text index, in a transaction of its own.
func (db *DB) mergeText(pages int64) {
	// Whoever holds the write lock holds up the next write, which would wait for
	// it twice.
	_ = db.direct.conn.BusyTimeout(0)
	wait := func() { _ = db.direct.conn.BusyTimeout(db.opts.BusyTimeout) }
	defer wait()
	var left merging
	w := &write{ctx: context.Background(), done: make(chan struct{}), merge: true}
	w.fn = func(ctx context.Context, tx *Tx) (err error) {
		wait() // it has the lock, and others may join it
		left, err = tx.mergeText(ctx, pages)
		return err
	}
	before := db.merging.newest
	db.commit([]*write{w})
	joined := db.merging.newest - before
	if w.err != nil { // it is tried again when there is more
		left = merging{newest: mergeSegments - 1}
	}
	m := &db.merging
	m.newest, m.most, m.merged = left.newest+joined, left.most, left.merged
	if !errors.Is(w.err, ErrBusy) {
		db.note(faultMerge, w.err)
	}
}

// mergeText goes a step on with merging, and says what is left.
func (tx *Tx) mergeText(ctx context.Context, pages int64) (left merging, err error) {
	conn := tx.db.direct.conn
	before := conn.TotalChanges()
	if _, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', ?)", pages); err != nil {
		return left, err
	}
	idle := conn.TotalChanges()-before < 2 // the statement itself is one
	var structure []byte
	if err := tx.Row(ctx, "SELECT block FROM chunks_fts_data WHERE id = 10", nil, &structure); err != nil {
		return left, err
	}
	levels, err := textLevels(structure)
	for i, l := range levels {
		if i == 0 {
			left.newest = l.segments
		}
		left.most, left.merged = max(left.most, l.segments), max(left.merged, l.merged)
	}
	if idle { // whatever is there, FTS5 leaves it so
		left = merging{newest: min(left.newest, mergeSegments-1)}
	}
	return left, err
}

// finishMerges merges until no merge is half done. While one is, a segment that
// has gone into the new one whole stays in the file, and nothing that is taken
// out of the index is taken out of it.
func (db *DB) finishMerges(ctx context.Context) error {
	for left := (merging{most: mergeSegments}); left.some(); {
		err := db.Write(ctx, func(ctx context.Context, tx *Tx) (err error) {
			left, err = tx.mergeText(ctx, mergePages)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
