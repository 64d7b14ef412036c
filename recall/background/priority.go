package background

import (
	"context"
	"sync"
	"time"
)

// priority pauses background reads while a user's first search of a large
// memory runs: with few cores, that search takes several times as long beside them.
type priority struct {
	mu       sync.Mutex
	searches int           // running
	none     chan struct{} // closed when the last of them ends
}

// MaxYield is how long one background read pauses in total, however many searches
// run.
const MaxYield = 300 * time.Millisecond

// begin pauses all background reads until end is called.
func (p *priority) begin() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.searches++; p.searches == 1 {
		p.none = make(chan struct{})
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.searches--; p.searches == 0 {
			close(p.none)
		}
	}
}

// idle returns a channel that is closed when no search has priority any more, nil
// if none has now.
func (p *priority) idle() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.searches == 0 {
		return nil
	}
	return p.none
}

// backgroundRead is a context value of one background read. One goroutine uses it.
type backgroundRead struct {
	searches *priority
	left     time.Duration // of MaxYield
}

type backgroundKey struct{}

// marked returns a context for a background read.
func (p *priority) marked(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, &backgroundRead{p, MaxYield})
}

// Yield waits while a search has priority, if ctx is that of a background
// read. A long read calls it repeatedly.
func Yield(ctx context.Context) {
	r, _ := ctx.Value(backgroundKey{}).(*backgroundRead)
	if r == nil || r.left <= 0 {
		return
	}
	none := r.searches.idle()
	if none == nil {
		return
	}
	began := time.Now()
	enough := time.NewTimer(r.left)
	defer enough.Stop()
	select {
	case <-none:
	case <-enough.C:
	case <-ctx.Done():
	}
	r.left -= time.Since(began)
}
