package sqlite

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// limiterWait is the longest wait for a slot.
const limiterWait = time.Second

// Limiter limits the background work of several databases in a process: half as
// many goroutines as there are processors work at a time. When a hundred files each
// get a message, a hundred checkpoints and consumers would start a moment later,
// and the next write would compete with all of them for processors and disk. Work
// that has waited for a second starts without a slot. A Limiter is safe for
// concurrent use.
type Limiter struct{ free chan struct{} }

// NewLimiter returns a Limiter for [Options].
func NewLimiter() *Limiter {
	return &Limiter{make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// BeginBackground waits for a slot of [Options.Limiter]; done frees it. It waits
// for a second at most, so that work which does not end cannot block other
// databases, and stops waiting when stop is closed or the database closes.
// Background work may be late but must not be skipped.
func (db *DB) BeginBackground(stop <-chan struct{}) (done func()) {
	limiter := db.opts.Limiter
	if limiter == nil {
		return func() {}
	}
	done = func() { <-limiter.free }
	select {
	case limiter.free <- struct{}{}:
		return done
	default:
	}
	timer := time.NewTimer(limiterWait)
	defer timer.Stop()
	select {
	case limiter.free <- struct{}{}:
		return done
	case <-timer.C:
	case <-stop:
	case <-db.stop:
	}
	return func() {}
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
