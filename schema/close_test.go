package schema_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// Close waits no longer than its context allows and reports what is still running,
// which then ends on its own.
func TestCloseKeepsItsDeadline(t *testing.T) {
	for name, hold := range map[string]func(*schema.DB, func()) error{
		"a write": func(db *schema.DB, wait func()) error {
			return db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				wait()
				_, err := tx.UserID(ctx, ada)
				return err
			})
		},
		"a read": func(db *schema.DB, wait func()) error {
			return db.Read(t.Context(), func(context.Context, *schema.Snapshot) error {
				wait()
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			began, release, held := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				var once sync.Once
				held <- hold(db, func() {
					once.Do(func() { close(began) })
					<-release
				})
			}()
			<-began
			for range 2 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				err := db.CloseWithin(ctx)
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.ErrorContains(t, err, "still running")
			}
			_, err := memtest.Say(t.Context(), db, ada, "too late")
			require.ErrorIs(t, err, schema.ErrClosed)
			close(release)
			require.NoError(t, <-held, "what was running is finished")
			require.NoError(t, db.Close())
			_, err = os.Stat(db.Path() + "-wal")
			require.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

// A write during Close either is stored or returns ErrClosed.
func TestCloseAmongWriters(t *testing.T) {
	for range 10 {
		db := open(t)
		path := db.Path()
		var wg sync.WaitGroup
		var mu sync.Mutex
		stored := 0
		for i := range 32 {
			wg.Go(func() {
				for j := 0; ; j++ {
					_, err := memtest.Say(t.Context(), db, ada, fmt.Sprint(i, j))
					if err != nil {
						require.ErrorIs(t, err, schema.ErrClosed)
						return
					}
					mu.Lock()
					stored++
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Millisecond)
		require.NoError(t, db.Close())
		wg.Wait()
		again, err := schema.Open(t.Context(), path, nil)
		require.NoError(t, err)
		var kept int
		memtest.Read(t, again, func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT count(*) FROM memories", nil, &kept)
		})
		require.Equal(t, stored, kept)
		require.NoError(t, again.Close())
	}
}
