package schema

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDatabasesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := &Turns{make(chan struct{}, 1)}
		one, other := &DB{opts: Options{Turns: turns}, stop: make(chan struct{})}, &DB{opts: Options{Turns: turns}, stop: make(chan struct{})}
		waits := func(db *DB, stop <-chan struct{}) time.Duration {
			began := time.Now()
			db.TakeTurn(stop)()
			return time.Since(began)
		}
		done := one.TakeTurn(nil)
		time.AfterFunc(time.Millisecond, done)
		require.Equal(t, time.Millisecond, waits(other, nil), "until the one before is done")

		done = one.TakeTurn(nil)
		require.Equal(t, turnLatest, waits(other, nil), "not for one that does not end")
		require.Zero(t, waits(&DB{}, nil), "nor without turns")
		stop := make(chan struct{})
		time.AfterFunc(time.Millisecond, func() { close(stop) })
		require.Equal(t, time.Millisecond, waits(other, stop), "who stops")
		time.AfterFunc(time.Millisecond, func() { close(other.stop) })
		require.Equal(t, time.Millisecond, waits(other, nil), "when the database closes")
		require.Len(t, turns.free, 1, "who did not get a turn ends none")
		done()
		require.Empty(t, turns.free)
		require.NotZero(t, cap(NewTurns().free))
	})
}
