package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &Limiter{make(chan struct{}, 1)}
		closed := make(chan struct{})
		waits := func(l *Limiter, stop <-chan struct{}) time.Duration {
			began := time.Now()
			l.Begin(stop, closed)()
			return time.Since(began)
		}
		done := limiter.Begin(nil, nil)
		time.AfterFunc(time.Millisecond, done)
		require.Equal(t, time.Millisecond, waits(limiter, nil), "until the one before is done")

		done = limiter.Begin(nil, nil)
		require.Equal(t, limiterWait, waits(limiter, nil), "not for one that does not end")
		require.Zero(t, waits(nil, nil), "nor without a limiter")
		stop := make(chan struct{})
		time.AfterFunc(time.Millisecond, func() { close(stop) })
		require.Equal(t, time.Millisecond, waits(limiter, stop), "who stops")
		time.AfterFunc(time.Millisecond, func() { close(closed) })
		require.Equal(t, time.Millisecond, waits(limiter, nil), "when the database closes")
		require.Len(t, limiter.free, 1, "a caller without a slot frees none")
		done()
		require.Empty(t, limiter.free)
		require.NotZero(t, cap(NewLimiter().free))
	})
}
