package recall

import (
	"context"
	"sync"
	"sync/atomic"
)

// background runs reads in goroutines of their own until it is stopped.
type background struct {
	work   context.Context
	cancel context.CancelFunc

	searches searchPriority

	mu      sync.Mutex
	running sync.WaitGroup
	stopped bool
}

func newBackground() *background {
	b := new(background)
	b.work, b.cancel = context.WithCancel(context.Background())
	return b
}

// start runs f. It reports false if the background was stopped.
func (b *background) start(f func(context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return false
	}
	b.running.Go(func() {
		ctx := b.searches.marked(b.work)
		yieldToSearches(ctx)
		f(ctx)
	})
	return true
}

// once is start for what must not run twice at a time; running says that it does.
// It reports true if f is already running.
func (b *background) once(running *atomic.Bool, f func(context.Context)) bool {
	if running.Swap(true) {
		return true
	}
	started := b.start(func(ctx context.Context) {
		defer running.Store(false)
		f(ctx)
	})
	if !started {
		running.Store(false)
	}
	return started
}

// stop cancels everything that runs and waits for it.
func (b *background) stop() {
	b.mu.Lock()
	b.stopped = true
	b.mu.Unlock()
	b.cancel()
	b.running.Wait()
}
