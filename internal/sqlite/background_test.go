package sqlite

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := &Limiter{make(chan struct{}, 1)}
		one, other := &DB{opts: Config{Options: Options{Limiter: limiter}}, stop: make(chan struct{})}, &DB{opts: Config{Options: Options{Limiter: limiter}}, stop: make(chan struct{})}
		waits := func(db *DB, stop <-chan struct{}) time.Duration {
			began := time.Now()
			db.BeginBackground(stop)()
			return time.Since(began)
		}
		done := one.BeginBackground(nil)
		time.AfterFunc(time.Millisecond, done)
		require.Equal(t, time.Millisecond, waits(other, nil), "until the one before is done")

		done = one.BeginBackground(nil)
		require.Equal(t, limiterWait, waits(other, nil), "not for one that does not end")
		require.Zero(t, waits(&DB{}, nil), "nor without a limiter")
		stop := make(chan struct{})
		time.AfterFunc(time.Millisecond, func() { close(stop) })
		require.Equal(t, time.Millisecond, waits(other, stop), "who stops")
		time.AfterFunc(time.Millisecond, func() { close(other.stop) })
		require.Equal(t, time.Millisecond, waits(other, nil), "when the database closes")
		require.Len(t, limiter.free, 1, "a caller without a slot frees none")
		done()
		require.Empty(t, limiter.free)
		require.NotZero(t, cap(NewLimiter().free))
	})
}
