package engine

import (
	"runtime"
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

// NewLimiter returns a Limiter for the options of several databases.
func NewLimiter() *Limiter {
	return &Limiter{make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// Begin waits for a slot; done frees it. It waits for a second at most, so that work
// which does not end cannot block other databases, and stops waiting when stop or closed
// is closed. Background work may be late but must not be skipped. A nil Limiter has a
// slot for everybody.
func (l *Limiter) Begin(stop, closed <-chan struct{}) (done func()) {
	if l == nil {
		return func() {}
	}
	done = func() { <-l.free }
	select {
	case l.free <- struct{}{}:
		return done
	default:
	}
	timer := time.NewTimer(limiterWait)
	defer timer.Stop()
	select {
	case l.free <- struct{}{}:
		return done
	case <-timer.C:
	case <-stop:
	case <-closed:
	}
	return func() {}
}
