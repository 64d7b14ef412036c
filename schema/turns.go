package schema

import (
	"runtime"
	"time"
)

// turnLatest is how long a turn is waited for.
const turnLatest = time.Second

// Turns has the work behind several databases of a process done a few at a
// time: as many as half of its processors. Where a hundred files each get a
// message, a hundred checkpoints and consumers would all begin a moment later,
// and whoever writes next would wait behind them for the processors and the
// disk. Who has waited for a second goes on without a turn. It is safe for
// concurrent use.
type Turns struct{ free chan struct{} }

// NewTurns makes turns for [Options].
func NewTurns() *Turns {
	return &Turns{make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

// TakeTurn waits for a turn of [Options.Turns], and done ends it. It waits for a
// second at most, so that work which does not end holds up no other for ever,
// and no longer than until stop is closed or the database closes: what is in no
// hurry can be late, not left out.
func (db *DB) TakeTurn(stop <-chan struct{}) (done func()) {
	turns := db.opts.Turns
	if turns == nil {
		return func() {}
	}
	done = func() { <-turns.free }
	select {
	case turns.free <- struct{}{}:
		return done
	default:
	}
	timer := time.NewTimer(turnLatest)
	defer timer.Stop()
	select {
	case turns.free <- struct{}{}:
		return done
	case <-timer.C:
	case <-stop:
	case <-db.stop:
	}
	return func() {}
}
