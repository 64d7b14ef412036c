package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWriteJoinsRunningTransaction(t *testing.T) {
	failure := errors.New("no")
	for name, c := range map[string]struct {
		second error
		ran    int // the first one's runs
	}{
		"shares its commit":          {nil, 1},
		"and undoes nothing but its": {failure, 2},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, Options{})
			ran, shared := 0, false
			second := make(chan error)
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
				if ran++; ran == 1 {
					go func() {
						second <- db.Write(context.Background(), func(ctx context.Context, tx *Tx) error {
							shared = shared || tx.shared
							return errors.Join(add(tx, "grace"), c.second)
						})
					}()
					require.Eventually(t, func() bool { return len(db.queue) > 0 }, 10*time.Second, time.Millisecond)
				}
				return add(tx, "ada")
			}))
			require.ErrorIs(t, <-second, c.second)
			require.True(t, shared)
			require.Equal(t, c.ran, ran)
			require.Equal(t, 1, count(t, db, "ada"))
			require.Equal(t, c.second == nil, count(t, db, "grace") == 1)
		})
	}
}

func TestCancelledWriteDoesNotJoin(t *testing.T) {
	db := open(t, Options{})
	for range 100 { // its caller may notice sooner than the writer
		ctx, cancel := context.WithCancel(t.Context())
		second := make(chan error)
		require.NoError(t, db.Write(t.Context(), func(context.Context, *Tx) error {
			go func() { second <- db.Write(ctx, func(_ context.Context, tx *Tx) error { return add(tx, "grace") }) }()
			require.Eventually(t, func() bool { return len(db.queue) > 0 }, 10*time.Second, time.Microsecond)
			cancel()
			return nil
		}))
		require.ErrorIs(t, <-second, context.Canceled)
	}
	require.Zero(t, count(t, db, "grace"))
}
