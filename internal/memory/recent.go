package memory

import (
	"context"
	"sync"
	"time"
)

// Recent keeps the result of a read that is too costly to repeat whenever it is asked for. It is
// safe for concurrent use.
type Recent[T any] struct {
	mu   sync.Mutex
	at   time.Time
	last *T
}

// Read returns the last result, or a new one if that is older than age. If the read fails, it returns
// the last result, nil without one, with the error.
func (r *Recent[T]) Read(ctx context.Context, age time.Duration, read func(context.Context) (*T, error)) (*T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && time.Since(r.at) < age {
		return r.last, nil
	}
	fresh, err := read(ctx)
	if err == nil {
		r.at, r.last = time.Now(), fresh
	}
	return r.last, err
}
