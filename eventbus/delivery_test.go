package eventbus_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

func say(t testing.TB, j *eventbus.Journal, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.NoError(t, j.Publish(t.Context(), eventbus.UserMessage(ada, text)))
	}
}

// places counts the events of a journal from 1. On a server, their positions are not
// consecutive.
func places(t testing.TB, j *eventbus.Journal, seqs ...int64) (places []int64) {
	t.Helper()
	events, err := j.All(t.Context())
	require.NoError(t, err)
	for _, seq := range seqs {
		place := 0
		for place < len(events) && events[place].Seq <= seq {
			place++
		}
		places = append(places, int64(place))
	}
	return places
}

// statsOf returns the state of a consumer, its cursor as a place.
func statsOf(t testing.TB, j *eventbus.Journal, name string) eventbus.ConsumerStats {
	t.Helper()
	all, err := j.Stats(t.Context())
	require.NoError(t, err)
	for _, s := range all {
		if s.Name == name {
			s.Cursor = places(t, j, s.Cursor)[0]
			return s
		}
	}
	require.Fail(t, "no such consumer", name)
	return eventbus.ConsumerStats{}
}

func TestThousandEventsInOrderToASlowConsumer(t *testing.T) {
	ctx := t.Context()
	j := newJournal(t, nil)
	var seen []int64
	_, err := j.Subscribe(ctx, "slow", func(_ context.Context, e eventbus.Event) error {
		if seen = append(seen, e.Seq); len(seen)%10 == 0 {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 10 {
				batch := make([]eventbus.Event, 10)
				for i := range batch {
					batch[i] = eventbus.UserMessage(ada, "x")
				}
				assert.NoError(t, j.Publish(ctx, batch...))
			}
		})
	}
	wg.Wait()
	require.NoError(t, j.WaitIdle(ctx, "slow"))
	require.Len(t, seen, 1000)
	for i, place := range places(t, j, seen...) {
		require.EqualValues(t, i+1, place)
	}
}

// Two processes subscribe under one name: each event is handled by one of them, and
// when one closes the other continues.
func TestTwoProcessesShareAConsumer(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	opts := &eventbus.JournalOptions{Poll: 5 * time.Millisecond}
	var mu sync.Mutex
	handled := map[int64][]string{}
	var running atomic.Int32
	start := func(name string) *eventbus.Journal {
		j := journal(t, open(t, path), opts)
		_, err := j.Subscribe(ctx, "shared", func(_ context.Context, e eventbus.Event) error {
			assert.EqualValues(t, 1, running.Add(1), "one delivers at a time")
			defer running.Add(-1)
			time.Sleep(100 * time.Microsecond)
			mu.Lock()
			defer mu.Unlock()
			handled[e.Seq] = append(handled[e.Seq], name)
			return nil
		}, eventbus.FromStart())
		require.NoError(t, err)
		return j
	}
	a, b := start("a"), start("b")
	var wg sync.WaitGroup
	for _, j := range []*eventbus.Journal{a, b} {
		wg.Go(func() {
			for i := range 150 {
				assert.NoError(t, j.Publish(ctx, eventbus.UserMessage(ada, fmt.Sprint(i))))
			}
		})
	}
	wg.Wait()
	require.NoError(t, a.WaitIdle(ctx))
	require.NoError(t, a.Close(ctx))
	say(t, b, "after a left")
	require.NoError(t, b.WaitIdle(ctx))
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, handled, 301)
	for seq, by := range handled {
		require.Len(t, by, 1, "event %d", seq)
	}
	require.Equal(t, []string{"b"}, handled[slices.Max(slices.Collect(maps.Keys(handled)))])
}

// A process that loses its lease has its handler's context cancelled, and its
// progress is not stored.
func TestLostLeaseEndsTheHandler(t *testing.T) {
	ctx := t.Context()
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	j := journal(t, db, &eventbus.JournalOptions{Poll: 5 * time.Millisecond})
	started, ended := make(chan struct{}), make(chan error)
	var calls atomic.Int32
	_, err := j.Subscribe(ctx, "c", func(ctx context.Context, _ eventbus.Event) error {
		if calls.Add(1) > 1 {
			return nil
		}
		close(started)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil
	})
	require.NoError(t, err)
	say(t, j, "x")
	<-started
	require.NoError(t, db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE leases SET holder = 'thief', term = term + 1, expires_at = 0 WHERE name = 'consumer:c'")
		return err
	}))
	require.ErrorIs(t, <-ended, schema.ErrConflict)
	require.NoError(t, j.WaitIdle(ctx))
	require.EqualValues(t, 2, calls.Load(), "the fenced result was dropped, so the event came again")
}

// A handler that takes longer than a lease keeps it.
func TestLongHandlerKeepsItsLease(t *testing.T) {
	if testing.Short() {
		t.Skip("takes longer than a lease")
	}
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	var calls atomic.Int32
	handler := func(ctx context.Context, _ eventbus.Event) error {
		calls.Add(1)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(1500 * time.Millisecond):
			return nil
		}
	}
	opts := &eventbus.JournalOptions{Poll: 5 * time.Millisecond}
	a, b := journal(t, open(t, path), opts), journal(t, open(t, path), opts)
	for _, j := range []*eventbus.Journal{a, b} {
		_, err := j.Subscribe(ctx, "c", handler)
		require.NoError(t, err)
	}
	say(t, a, "x")
	require.NoError(t, b.WaitIdle(ctx))
	require.EqualValues(t, 1, calls.Load())
}

func TestParkedEventsCanBeRetried(t *testing.T) {
	ctx := t.Context()
	var mu sync.Mutex
	var heard []string
	j := newJournal(t, &eventbus.JournalOptions{ErrorHook: func(source string, err error) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, source+": "+err.Error())
	}})
	// A handler's error may quote the event.
	const brokenBy = "the handler failed: not found, an error without a type"
	var mended atomic.Bool
	var waits []int
	_, err := j.Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error {
		if m, _ := e.Message(); m.Text == "bad" && !mended.Load() {
			return fmt.Errorf("broken by %s: %w", m.Text, schema.ErrNotFound)
		}
		return nil
	}, eventbus.MaxAttempts(3), eventbus.Backoff(func(attempt int) time.Duration {
		waits = append(waits, attempt)
		return time.Millisecond
	}))
	require.NoError(t, err)
	say(t, j, "bad", "fine")
	require.Eventually(t, func() bool { return statsOf(t, j, "c").Parked == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, j.WaitIdle(ctx))
	assert.Equal(t, []int{1, 2}, waits)
	assert.Equal(t, eventbus.ConsumerStats{Name: "c", Cursor: 2, Parked: 1, LastError: brokenBy}, statsOf(t, j, "c"))

	parked, err := j.Parked(ctx, "c")
	require.NoError(t, err)
	require.Len(t, parked, 1)
	of := fmt.Sprintf("consumer:c: event %d, attempt ", parked[0].Seq)
	mu.Lock()
	assert.Equal(t, []string{of + "1: " + brokenBy, of + "2: " + brokenBy, of + "3: " + brokenBy}, heard)
	mu.Unlock()
	assert.Equal(t, 3, parked[0].Attempts)
	assert.Equal(t, brokenBy, parked[0].LastError)
	m, err := parked[0].Message()
	require.NoError(t, err)
	assert.Equal(t, "bad", m.Text)

	mended.Store(true)
	require.NoError(t, j.Retry(ctx, "c", parked[0].Seq))
	require.NoError(t, j.WaitIdle(ctx))
	assert.Equal(t, eventbus.ConsumerStats{Name: "c", Cursor: 2}, statsOf(t, j, "c"))
	require.ErrorIs(t, j.Retry(ctx, "c", parked[0].Seq), schema.ErrNotFound)
	_, err = j.Parked(ctx, "unknown")
	require.ErrorIs(t, err, schema.ErrNotFound)
}

func TestStatsOfWaitingEvents(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	db, err := schema.Open(ctx, path, &schema.Options{Now: func() time.Time { return now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	j := journal(t, db, nil)
	sub, err := j.Subscribe(ctx, "c", func(context.Context, eventbus.Event) error { return errors.New("later") }, eventbus.Topics("user.*"),
		eventbus.Backoff(func(int) time.Duration { return time.Hour }))
	require.NoError(t, err)
	const broken = "the handler failed: an error without a type"
	say(t, j, "waits")
	require.NoError(t, j.WaitIdle(ctx))
	assert.Equal(t, eventbus.ConsumerStats{Name: "c", Cursor: 1, Retrying: 1, OldestPending: now, LastError: broken}, statsOf(t, j, "c"))
	require.NoError(t, sub.Close(ctx))
	say(t, j, "unread", "unread")
	assert.Equal(t, eventbus.ConsumerStats{Name: "c", Cursor: 1, Lag: 2, LagAtMost: true, Retrying: 1, OldestPending: now, LastError: broken}, statsOf(t, j, "c"))
	var invalid *schema.InvalidError
	require.ErrorAs(t, j.WaitIdle(ctx, "c"), &invalid, "it is not subscribed any more")
}

// A consumer of rare topics stores its position when the journal is quiet.
func TestQuietConsumerCatchesUp(t *testing.T) {
	ctx := t.Context()
	j := newJournal(t, &eventbus.JournalOptions{Poll: 5 * time.Millisecond})
	_, err := j.Subscribe(ctx, "rare", func(context.Context, eventbus.Event) error { return nil }, eventbus.Topics("host.rare"))
	require.NoError(t, err)
	say(t, j, "a", "b", "c")
	require.Zero(t, statsOf(t, j, "rare").Lag, "nothing of it waits")
	require.Eventually(t, func() bool { return statsOf(t, j, "rare").Cursor == 3 }, 10*time.Second, time.Millisecond)
}

// WaitIdle also waits for events that handlers publish.
func TestWaitIdleFollowsChains(t *testing.T) {
	ctx := t.Context()
	j := newJournal(t, nil)
	var heard atomic.Int32
	_, err := j.Subscribe(ctx, "parrot", func(ctx context.Context, e eventbus.Event) error {
		time.Sleep(5 * time.Millisecond)
		return j.Publish(ctx, eventbus.AgentResponse(e.Scope, "again"))
	}, eventbus.Topics(eventbus.TopicUserMessage))
	require.NoError(t, err)
	_, err = j.Subscribe(ctx, "listener", func(context.Context, eventbus.Event) error {
		time.Sleep(5 * time.Millisecond)
		heard.Add(1)
		return nil
	}, eventbus.Topics(eventbus.TopicAgentResponse))
	require.NoError(t, err)
	say(t, j, "1", "2", "3")
	require.NoError(t, j.WaitIdle(ctx))
	require.EqualValues(t, 3, heard.Load())
}

// A replay during a handler is not undone when the handler ends.
func TestReplayDuringDelivery(t *testing.T) {
	ctx := t.Context()
	j := newJournal(t, nil)
	var seen []int64
	_, err := j.Subscribe(ctx, "c", func(ctx context.Context, e eventbus.Event) error {
		if seen = append(seen, e.Seq); len(seen) == 3 {
			return j.Replay(ctx, "c", seen[1])
		}
		return nil
	})
	require.NoError(t, err)
	say(t, j, "1", "2")
	require.NoError(t, j.WaitIdle(ctx))
	say(t, j, "3")
	require.NoError(t, j.WaitIdle(ctx))
	require.Equal(t, []int64{1, 2, 3, 2, 3}, places(t, j, seen...))
}

func TestHandlerCallingGoexit(t *testing.T) {
	reported := make(chan string, 1)
	j := newJournal(t, &eventbus.JournalOptions{ErrorHook: func(source string, err error) { reported <- source + ": " + err.Error() }})
	_, err := j.Subscribe(t.Context(), "c", func(context.Context, eventbus.Event) error {
		runtime.Goexit()
		return nil
	})
	require.NoError(t, err)
	say(t, j, "one")
	require.Regexp(t, `^consumer:c: event \d+: the handler called runtime.Goexit`, <-reported)
	got := make(chan int64, 1)
	require.Eventually(t, func() bool { // once the name is free again
		_, err := j.Subscribe(t.Context(), "c", func(_ context.Context, e eventbus.Event) error {
			got <- e.Seq
			return nil
		})
		return err == nil
	}, 5*time.Second, time.Millisecond)
	require.Equal(t, []int64{1}, places(t, j, <-got))
}
