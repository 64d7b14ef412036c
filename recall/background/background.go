// Package background runs reads in goroutines of their own, which yield to searches that
// have priority.
package background

import (
	"context"
	"sync"
	"sync/atomic"
)

// Reads runs reads in goroutines of their own until it is stopped.
type Reads struct {
	work   context.Context
	cancel context.CancelFunc

	searches priority

	mu      sync.Mutex
	running sync.WaitGroup
	stopped bool
}

// New returns Reads that is not stopped.
func New() *Reads {
	b := new(Reads)
	b.work, b.cancel = context.WithCancel(context.Background())
	return b
}

// Start runs f. It reports false if b was stopped.
func (b *Reads) Start(f func(context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return false
	}
	b.running.Go(func() {
		ctx := b.Mark(b.work)
		Yield(ctx)
		f(ctx)
	})
	return true
}

// Once is Start for what must not run twice at a time; running says that it does.
// It reports true if f is already running.
func (b *Reads) Once(running *atomic.Bool, f func(context.Context)) bool {
	if running.Swap(true) {
		return true
	}
	started := b.Start(func(ctx context.Context) {
		defer running.Store(false)
		f(ctx)
	})
	if !started {
		running.Store(false)
	}
	return started
}

// Stop cancels everything that runs and waits for it.
func (b *Reads) Stop() {
	b.mu.Lock()
	b.stopped = true
	b.mu.Unlock()
	b.cancel()
	b.running.Wait()
}

// Wait waits for what runs.
func (b *Reads) Wait() { b.running.Wait() }

// Begin pauses all reads until end is called.
func (b *Reads) Begin() (end func()) { return b.searches.begin() }

// Idle returns a channel that is closed when no search has priority any more, nil if
// none has now.
func (b *Reads) Idle() <-chan struct{} { return b.searches.idle() }

// Mark returns a context for one read in the background.
func (b *Reads) Mark(ctx context.Context) context.Context { return b.searches.marked(ctx) }
