package embed_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// slow is an embedder whose calls take a time. It counts them.
type slow struct {
	scripted
	takes          time.Duration
	asked, running atomic.Int32
	most           atomic.Int32 // calls at one time
}

func (e *slow) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	e.asked.Add(1)
	e.most.Store(max(e.most.Load(), e.running.Add(1)))
	defer e.running.Add(-1)
	time.Sleep(e.takes)
	return e.vector(text), nil
}

var asked = &vecstore.Generation{Model: "slow", Dims: 4}

// together asks that many queries at one moment and counts the vectors and the errors.
func together(w *embed.Worker, n int, wait time.Duration, text func(i int) string) (vectors, errs int32) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	var all sync.WaitGroup
	var found atomic.Int32
	for i := range n {
		all.Go(func() {
			if v, err := w.EmbedQuery(ctx, asked, text(i)); err == nil && len(v) == 4 {
				found.Add(1)
			}
		})
	}
	all.Wait()
	return found.Load(), int32(n) - found.Load()
}

func different(i int) string { return fmt.Sprint("question ", i) }

func slowWorker(t *testing.T, e *slow) *embed.Worker {
	t.Helper()
	w, err := embed.New(nil, e, embed.Options{Model: "slow"})
	require.NoError(t, err)
	return w
}

// stop also waits for the embedder, which ignores its context.
func stop(t *testing.T, w *embed.Worker, e *slow) {
	t.Helper()
	require.NoError(t, w.Stop(t.Context()))
	time.Sleep(e.takes)
}

// Queries wait for a place as long as their search does, and no longer.
func TestManyQueriesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &slow{scripted: scripted{size: 4}, takes: 10 * time.Millisecond}
		w := slowWorker(t, e)
		vectors, errs := together(w, 24, 300*time.Millisecond, different)
		require.EqualValues(t, 24, vectors)
		require.Zero(t, errs)
		require.EqualValues(t, 8, e.most.Load())

		e.takes = time.Minute
		began := time.Now()
		vectors, errs = together(w, 24, 300*time.Millisecond, func(i int) string { return different(100 + i) })
		require.Zero(t, vectors)
		require.EqualValues(t, 24, errs)
		require.Equal(t, 300*time.Millisecond, time.Since(began))
		require.EqualValues(t, 24+8, e.asked.Load(), "the others were not asked")
		stop(t, w, e)
	})
}

// A call that outlasts its timeout, because the embedder ignores its context, keeps its place.
func TestCallsAfterTheirTimeoutKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &slow{scripted: scripted{size: 4}, takes: time.Minute}
		w, err := embed.New(nil, e, embed.Options{Model: "slow", Timeout: 100 * time.Millisecond})
		require.NoError(t, err)
		for round := range 3 {
			_, errs := together(w, 24, time.Second, func(i int) string { return different(100*round + i) })
			require.EqualValues(t, 24, errs)
		}
		require.EqualValues(t, 8, e.most.Load())
		time.Sleep(e.takes)
		_, errs := together(w, 8, time.Second, different)
		require.EqualValues(t, 8, errs)
		require.EqualValues(t, 16, e.asked.Load(), "the places are free again")
		stop(t, w, e)
	})
}

// Searches for the same query share one call, whose error is not kept.
func TestSameQueryAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &slow{scripted: scripted{size: 3}, takes: 10 * time.Millisecond}
		w := slowWorker(t, e)
		same := func(int) string { return "the same question" }
		_, errs := together(w, 24, time.Second, same)
		require.EqualValues(t, 24, errs)
		require.EqualValues(t, 1, e.asked.Load())
		e.size = 4
		vectors, _ := together(w, 24, time.Second, same)
		require.EqualValues(t, 24, vectors)
		require.EqualValues(t, 2, e.asked.Load())
		require.NoError(t, w.Stop(t.Context()))
	})
}

// A query that was being embedded while the cache was emptied is not kept.
func TestForgottenWhileAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &slow{scripted: scripted{size: 4}, takes: 10 * time.Millisecond}
		w := slowWorker(t, e)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := w.EmbedQuery(ctx, asked, "my secret")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		w.ForgetQueries()
		stop(t, w, e)
		require.Zero(t, w.RememberedQueries())
	})
}
