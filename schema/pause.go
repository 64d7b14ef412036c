package schema

import (
	"context"
	"sync/atomic"
	"time"
)

// writePause is how long nobody writes when there is a pause, and writeBusy how
// long those who never pause are given way to.
const (
	writePause = 5 * time.Millisecond
	writeBusy  = 2 * time.Second
)

// pauses knows when there was a write last, and since when there has been no
// pause: nanoseconds since the database was opened.
type pauses struct {
	opened      time.Time
	last, since atomic.Int64
}

func (p *pauses) now() time.Duration { return time.Since(p.opened) }

// wrote is called by the writer alone.
func (p *pauses) wrote() {
	now := int64(p.now())
	if now-p.last.Load() >= int64(writePause) {
		p.since.Store(now)
	}
	p.last.Store(now)
}

// GiveWay waits until nobody has written for 5 ms: for what is in no hurry and
// would keep others waiting. Those who have written for two seconds without such
// a pause are not waited for.
//
// Errors: the context's.
func (db *DB) GiveWay(ctx context.Context) error {
	for {
		now, last, since := db.pauses.now(), time.Duration(db.pauses.last.Load()), time.Duration(db.pauses.since.Load())
		wait := min(last+writePause, since+writeBusy) - now
		if wait <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-db.stop: // Write says so
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
