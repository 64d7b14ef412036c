package eventbus_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// batchConsumer subscribes a consumer in batches. Events that refused returns an
// error for fail their batch and are then delivered one by one.
func batchConsumer(t *testing.T, j *eventbus.Journal, refused func(eventbus.Event) error) (batches *[][]int64, alone *[]int64) {
	t.Helper()
	batches, alone = new([][]int64), new([]int64)
	_, err := j.Subscribe(t.Context(), "batch", func(_ context.Context, e eventbus.Event) error {
		*alone = append(*alone, e.Seq)
		return refused(e)
	}, eventbus.FromStart(), eventbus.MaxAttempts(1), eventbus.InBatches(func(_ context.Context, events []eventbus.Event) error {
		var seqs []int64
		for _, e := range events {
			if err := refused(e); err != nil {
				return err
			}
			seqs = append(seqs, e.Seq)
		}
		*batches = append(*batches, seqs)
		return nil
	}, time.Hour)) // WaitIdle must not wait for it
	require.NoError(t, err)
	return batches, alone
}

func TestBatchesAreInOrder(t *testing.T) {
	j := newJournal(t, nil)
	say(t, j, slices.Repeat([]string{"x"}, 150)...)
	batches, alone := batchConsumer(t, j, func(eventbus.Event) error { return nil })
	require.NoError(t, j.WaitIdle(t.Context()))
	require.Less(t, len(*batches), 10)
	seen := slices.Concat(append(*batches, *alone)...)
	require.Len(t, seen, 150)
	for i, place := range places(t, j, seen...) {
		require.EqualValues(t, i+1, place)
	}
	require.EqualValues(t, 150, statsOf(t, j, "batch").Cursor)
}

func TestFailedEventDoesNotBlockBatch(t *testing.T) {
	for name, refusal := range map[string]func() error{
		"error": func() error { return errors.New("no") },
		"panic": func() error { panic("no") },
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(t, nil)
			say(t, j, slices.Insert(slices.Repeat([]string{"x"}, 19), 6, "refused")...)
			batches, alone := batchConsumer(t, j, func(e eventbus.Event) error {
				if strings.Contains(string(e.Payload), "refused") {
					return refusal()
				}
				return nil
			})
			require.NoError(t, j.WaitIdle(t.Context()))
			require.Empty(t, *batches)
			require.Len(t, *alone, 20)
			stats := statsOf(t, j, "batch")
			require.EqualValues(t, 20, stats.Cursor)
			require.Equal(t, 1, stats.Parked)
		})
	}
}

func TestSingleEventsAreCollected(t *testing.T) {
	j := newJournal(t, nil)
	var calls, events atomic.Int32
	_, err := j.Subscribe(t.Context(), "gathering", func(context.Context, eventbus.Event) error {
		calls.Add(1)
		events.Add(1)
		return nil
	}, eventbus.InBatches(func(_ context.Context, batch []eventbus.Event) error {
		calls.Add(1)
		events.Add(int32(len(batch)))
		return nil
	}, time.Hour))
	require.NoError(t, err)
	say(t, j, slices.Repeat([]string{"x"}, 50)...)
	require.NoError(t, j.WaitIdle(t.Context()))
	require.EqualValues(t, 50, events.Load())
	require.Less(t, calls.Load(), int32(10))
}

func TestEventsAreCollectedDuringABulkLoad(t *testing.T) {
	j := newJournal(t, nil)
	end := j.Load()
	var events atomic.Int32
	_, err := j.Subscribe(t.Context(), "gathering", func(context.Context, eventbus.Event) error {
		events.Add(1)
		return nil
	}, eventbus.InBatches(func(_ context.Context, batch []eventbus.Event) error {
		events.Add(int32(len(batch)))
		return nil
	}, time.Millisecond))
	require.NoError(t, err)
	say(t, j, slices.Repeat([]string{"x"}, 200)...)
	time.Sleep(50 * time.Millisecond)
	require.Zero(t, events.Load())
	end()
	end()
	require.Eventually(t, func() bool { return events.Load() == 200 }, 10*time.Second, time.Millisecond)

	defer j.Load()() // WaitIdle ends the collection
	say(t, j, "x")
	require.NoError(t, j.WaitIdle(t.Context()))
	require.EqualValues(t, 201, events.Load())
}

// A batch handler that takes longer than Close waits is cancelled, and its events
// are delivered again.
func TestCloseCancelsABatch(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	var began, again atomic.Int32
	subscribed := func(h eventbus.Handler, batch eventbus.BatchHandler) *eventbus.Journal {
		j := journal(t, db, nil)
		_, err := j.Subscribe(t.Context(), "slow", h, eventbus.FromStart(), eventbus.InBatches(batch, time.Millisecond))
		require.NoError(t, err)
		return j
	}
	j := subscribed(func(context.Context, eventbus.Event) error { return nil }, func(ctx context.Context, events []eventbus.Event) error {
		began.Add(int32(len(events)))
		<-ctx.Done()
		return ctx.Err()
	})
	say(t, j, slices.Repeat([]string{"x"}, 50)...)
	require.Eventually(t, func() bool { return began.Load() > 1 }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, j.Close(ctx))
	require.NoError(t, ctx.Err(), "it does not wait for the end of its own context")

	j = subscribed(func(context.Context, eventbus.Event) error { again.Add(1); return nil }, func(_ context.Context, events []eventbus.Event) error {
		again.Add(int32(len(events)))
		return nil
	})
	require.NoError(t, j.WaitIdle(t.Context()))
	require.GreaterOrEqual(t, again.Load(), began.Load())
	require.NoError(t, j.Close(t.Context()))
}

func TestInBatchesRefuses(t *testing.T) {
	j := newJournal(t, nil)
	_, err := j.Subscribe(t.Context(), "early", func(context.Context, eventbus.Event) error { return nil }, eventbus.InBatches(nil, -1))
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "InBatches", invalid.Field)
}

// Two memories of one process: the limited consumer of one waits for the background
// work of the other.
func TestLimitedConsumers(t *testing.T) {
	ctx := t.Context()
	limiter := schema.NewLimiter()
	var all []*eventbus.Journal
	var dbs []*schema.DB
	for _, name := range []string{"one.db", "other.db"} {
		db, err := schema.Open(ctx, filepath.Join(t.TempDir(), name), &schema.Options{Limiter: limiter})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		dbs, all = append(dbs, db), append(all, journal(t, db, nil))
	}
	happened := make(chan string, 3)
	hears := func(j *eventbus.Journal, who string, opts ...eventbus.SubscribeOption) {
		_, err := j.Subscribe(ctx, who, func(context.Context, eventbus.Event) error { happened <- who; return nil }, opts...)
		require.NoError(t, err)
	}
	hears(all[1], "limited", eventbus.Limited())
	hears(all[1], "unlimited")
	require.NoError(t, all[1].WaitIdle(ctx))
	var mine []func() // all slots
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		mine = append(mine, dbs[0].BeginBackground(nil))
	}
	require.NoError(t, all[1].Publish(ctx, eventbus.UserMessage(ada, "hi")))
	require.Equal(t, "unlimited", <-happened)
	time.Sleep(50 * time.Millisecond) // the limited consumer would have run by now
	happened <- "the turn's end"
	for _, done := range mine {
		done()
	}
	require.Equal(t, "the turn's end", <-happened)
	require.Equal(t, "limited", <-happened)
}
