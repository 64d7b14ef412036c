package recall

import (
	"context"
	"sync"
	"time"
)

// precedence lets a user's first search of much text go before what is read in
// the background: on few cores it takes several times as long beside it.
type precedence struct {
	mu       sync.Mutex
	searches int           // that go before
	none     chan struct{} // closed when the last of them ends
}

// patience is how long one reading in the background stands back in all, however
// many searches come.
const patience = 300 * time.Millisecond

// take has all readings stand back until end is called.
func (p *precedence) take() (end func()) {
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

// taken returns what is closed when no search goes before any more; nil when
// none does.
func (p *precedence) taken() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.searches == 0 {
		return nil
	}
	return p.none
}

// backgroundRead is one reading in the background, a value of its context and
// used by one goroutine.
type backgroundRead struct {
	searches *precedence
	patience time.Duration // that is left
}

type backgroundKey struct{}

// marked marks a context as that of a reading in the background.
func (p *precedence) marked(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, &backgroundRead{p, patience})
}

// standBack waits while searches go before, if ctx is that of a reading in the
// background. Who reads much calls it again and again.
func standBack(ctx context.Context) {
	r, _ := ctx.Value(backgroundKey{}).(*backgroundRead)
	if r == nil || r.patience <= 0 {
		return
	}
	none := r.searches.taken()
	if none == nil {
		return
	}
	began := time.Now()
	enough := time.NewTimer(r.patience)
	defer enough.Stop()
	select {
	case <-none:
	case <-enough.C:
	case <-ctx.Done():
	}
	r.patience -= time.Since(began)
}
