package sqlite

import (
	"context"
	"errors"
	"time"
)

// The FTS5 index consists of segments, in levels: a commit with text adds one to
// the lowest level, and a search reads all of them. FTS5 would merge segments
// inside commits, hundreds of pages in about every sixtieth, and that commit would
// be slow. Here the writer goroutine merges instead, a few pages at a time: one
// step after another in pauses between writes, and smaller steps when there is no
// pause. Steps that keep the lowest level small are urgent. The others leave most
// of the time to writes, until the number of segments in a level exceeds mergeLate.
// FTS5 itself merges in a commit that finds sixteen segments in the lowest level,
// and then in each level above with as many, whatever their size.
const (
	mergeSegments = 8  // fewest segments of one level that a merge joins: FTS5's usermerge, set by the migration
	mergeUrgent   = 12 // segments in the lowest level that do not wait for a pause
	mergeLate     = 32 // segments in any other level that do not wait
	mergePages    = 16 // written by a step in a pause, which takes some milliseconds
	mergeFew      = 4  // written by a step between commits; both kinds go on to the end of a term
	mergeRest     = 4  // factor of a step's duration without another step, unless urgent

	mergePause = time.Millisecond // between two steps in a pause, for other processes' writes
)

// merging is the writer's knowledge of the segments.
type merging struct {
	lowest  int       // segments in the lowest level, counting those added since the last step
	largest int       // most segments in any level, at the last step
	merged  int       // segments in an unfinished merge, at the last step
	paused  bool      // the last step was made in a pause that goes on
	rest    time.Time // before it only urgent steps, except in a pause
}

// pending reports whether there is something to merge.
func (m *merging) pending() bool { return m.merged > 0 || max(m.lowest, m.largest) >= mergeSegments }

// wait returns how long a pause between writes must last before the next step;
// false when there is nothing to merge.
func (m *merging) wait() (time.Duration, bool) {
	switch {
	case !m.pending():
		return 0, false
	case m.paused:
		return mergePause, true
	default:
		return writePause, true
	}
}

// pages returns how many pages a step may write now, in a pause or between two
// commits.
func (m *merging) pages(now time.Time, pause bool) int64 {
	switch {
	case !m.pending():
		return 0
	case pause:
		return mergePages
	case m.merged >= mergeUrgent:
		return mergePages // FTS5 finishes it before it merges a smaller lowest level
	case m.lowest >= mergeUrgent || m.largest >= mergeLate:
		return mergeFew
	case (m.merged > 0 || m.largest >= mergeSegments) && !now.Before(m.rest):
		return mergeFew
	default:
		return 0
	}
}

// mergeStep runs a merge step if one is due. With pause, there was no write for the
// time given by merging.wait.
func (db *DB) mergeStep(pause bool) {
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

// mergeText merges some pages of the text index in its own transaction.
func (db *DB) mergeText(pages int64) {
	// Do not wait for another process's write lock: it would delay the next write,
	// which then waits for it again.
	_ = db.raw.conn.BusyTimeout(0)
	wait := func() { _ = db.raw.conn.BusyTimeout(db.opts.BusyTimeout) }
	defer wait()
	var left merging
	w := &write{ctx: context.Background(), done: make(chan struct{}), merge: true}
	w.fn = func(ctx context.Context, tx *Tx) (err error) {
		wait() // it has the lock, and other writes may join
		left, err = tx.mergeText(ctx, pages)
		return err
	}
	before := db.merging.lowest
	db.commit([]*write{w})
	joined := db.merging.lowest - before
	if w.err != nil { // retried after the next commit with text
		left = merging{lowest: mergeSegments - 1}
	}
	m := &db.merging
	m.lowest, m.largest, m.merged = left.lowest+joined, left.largest, left.merged
	if !errors.Is(w.err, ErrBusy) {
		db.recordFault(faultMerge, w.err)
	}
}

// mergeText runs FTS5's merge for some pages and returns the segments that are
// left.
func (tx *Tx) mergeText(ctx context.Context, pages int64) (left merging, err error) {
	conn, index := tx.db.raw.conn, tx.db.opts.Format.TextIndex
	before := conn.TotalChanges()
	if _, err := tx.Exec(ctx, "INSERT INTO "+index+" ("+index+", rank) VALUES ('merge', ?)", pages); err != nil {
		return left, err
	}
	idle := conn.TotalChanges()-before < 2 // the statement itself is one
	var structure []byte
	if err := tx.Row(ctx, "SELECT block FROM "+index+"_data WHERE id = 10", nil, &structure); err != nil {
		return left, err
	}
	levels, err := textLevels(structure)
	for i, l := range levels {
		if i == 0 {
			left.lowest = l.segments
		}
		left.largest, left.merged = max(left.largest, l.segments), max(left.merged, l.merged)
	}
	if idle { // FTS5 has nothing to merge
		left = merging{lowest: min(left.lowest, mergeSegments-1)}
	}
	return left, err
}

// FinishMerges merges until no merge is unfinished. An unfinished merge keeps its
// input segments in the file, with the text of entries deleted since.
func (db *DB) FinishMerges(ctx context.Context) error {
	for left := (merging{largest: mergeSegments}); left.pending(); {
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

// TextAdded records that the transaction adds a segment to the text index.
func (tx *Tx) TextAdded() { tx.db.merging.lowest++ }
