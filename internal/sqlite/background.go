package sqlite

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
)

// Limiter limits the background work of several databases in a process.
type Limiter = engine.Limiter

// BeginBackground waits for a slot of [Options.Limiter]; done frees it.
func (db *DB) BeginBackground(stop <-chan struct{}) (done func()) {
	return db.opts.Limiter.Begin(stop, db.stop)
}

// writePause is the time without a write that counts as a pause, writeBusy the
// longest time that background work waits for one.
const (
	writePause = 5 * time.Millisecond
	writeBusy  = 2 * time.Second
)

// pauses records the last write and the end of the last pause, in nanoseconds since
// the database was opened.
type pauses struct {
	opened      time.Time
	last, since atomic.Int64
}

func (p *pauses) now() time.Duration { return time.Since(p.opened) }

// wrote is called after each commit, by the writer goroutine only.
func (p *pauses) wrote() {
	now := int64(p.now())
	if now-p.last.Load() >= int64(writePause) {
		p.since.Store(now)
	}
	p.last.Store(now)
}

// YieldToWriters waits until there was no write for 5 ms, at most for two seconds
// of writes without such a pause. It is for background work that would delay
// writes.
//
// Errors: the context's.
func (db *DB) YieldToWriters(ctx context.Context) error {
	for {
		now, last, since := db.pauses.now(), time.Duration(db.pauses.last.Load()), time.Duration(db.pauses.since.Load())
		wait := min(last+writePause, since+writeBusy) - now
		if wait <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-db.stop: // Write returns ErrClosed
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
