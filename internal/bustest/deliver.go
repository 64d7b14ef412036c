package bustest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

func testStart(t *testing.T, f Features, s Setup) {
	b := s.Open(t)
	publish(t, b, "before")
	var late, all recorder
	subscribe(t, b, "late", late.handle)
	subscribe(t, b, "all", all.handle, eventbus.FromStart())
	publish(t, b, "after")
	assert.ElementsMatch(t, []string{"before", "after"}, all.waitFor(t, 2))
	assert.Equal(t, []string{"after"}, late.waitFor(t, 1))
	if !f.Durable {
		return
	}
	// A known consumer continues at its position, whatever its options.
	sub := subscribe(t, b, "known", new(recorder).handle)
	require.NoError(t, sub.Close(t.Context()))
	var known recorder
	publish(t, b, "while away")
	subscribe(t, b, "known", known.handle, eventbus.FromStart())
	assert.Equal(t, []string{"while away"}, known.waitFor(t, 1))
}

func testRedelivery(t *testing.T, f Features, s Setup) {
	b := s.Open(t)
	// The retries must not overtake the publisher, which stores all at once or one
	// after the other.
	backoff := soon
	if !f.Transactional {
		backoff = func(attempt int) time.Duration { return 50 * soon(attempt) }
	}
	tries := map[string]int{}
	r := recorder{fail: func(e eventbus.Event) error {
		m, _ := e.Message()
		tries[m.Text]++
		switch {
		case m.Text == "hopeless", m.Text == "twice" && tries[m.Text] <= 2:
			return errors.New("not yet")
		case m.Text == "refused":
			return eventbus.Permanent(errors.New("never"))
		}
		return nil
	}}
	subscribe(t, b, "c", r.handle, eventbus.MaxAttempts(3), eventbus.Backoff(backoff))
	var batch []eventbus.Event
	for _, text := range []string{"hopeless", "twice", "refused", "fine"} {
		batch = append(batch, eventbus.UserMessage(scope, text))
	}
	require.NoError(t, b.Publish(t.Context(), batch...))
	r.waitFor(t, 3+3+1+1)
	publish(t, b, "end")
	got := r.waitFor(t, 9)
	time.Sleep(50 * time.Millisecond)
	require.Len(t, r.texts(), 9, "parked events are not tried again")
	assert.Less(t, slices.Index(got, "fine"), lastIndex(got, "twice"), "a failure does not hold up the next event")
	assert.Equal(t, map[string]int{"hopeless": 3, "twice": 3, "refused": 1, "fine": 1, "end": 1}, tries)
}

func lastIndex(texts []string, text string) int {
	last := -1
	for i, s := range texts {
		if s == text {
			last = i
		}
	}
	return last
}

func testPanic(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	panicked := false
	r := recorder{fail: func(eventbus.Event) error {
		if !panicked {
			panicked = true
			panic("a fault of the host's")
		}
		return nil
	}}
	subscribe(t, b, "c", r.handle, eventbus.Backoff(soon))
	publish(t, b, "x")
	assert.Equal(t, []string{"x", "x"}, r.waitFor(t, 2))
}

func testDurable(t *testing.T, f Features, s Setup) {
	b := s.Open(t)
	failing := true
	r := recorder{fail: func(e eventbus.Event) error {
		if m, _ := e.Message(); m.Text == "retry" && failing {
			return errors.New("not in this life")
		}
		return nil
	}}
	subscribe(t, b, "c", r.handle, eventbus.Backoff(func(int) time.Duration { return 30 * time.Millisecond }))
	publish(t, b, "one", "retry", "two")
	for n := 3; !slices.Contains(r.waitFor(t, n), "two"); n++ { // what is tried again may come first
	}

	b = s.Reopen(t, b)
	failing = false
	publish(t, b, "three") // before there is a subscriber
	var next recorder
	subscribe(t, b, "c", next.handle)
	publish(t, b, "four")
	got := next.waitFor(t, 3)
	assert.ElementsMatch(t, []string{"retry", "three", "four"}, got, "what was done is not delivered again, what failed is")
	if f.Idempotent {
		e := eventbus.UserMessage(scope, "five")
		require.NoError(t, b.Publish(t.Context(), e))
		b = s.Reopen(t, b)
		require.NoError(t, b.Publish(t.Context(), e))
		var all recorder
		subscribe(t, b, "all", all.handle, eventbus.FromStart())
		assert.ElementsMatch(t, []string{"one", "retry", "two", "three", "four", "five"}, all.waitFor(t, 6))
	}
}

func testReplay(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	replayer, ok := b.(Replayer)
	require.True(t, ok, "the feature needs a Replayer")
	var r recorder
	subscribe(t, b, "c", r.handle)
	publish(t, b, "a", "b", "c")
	r.waitFor(t, 3)
	second, last := r.events[1].Seq, r.events[2].Seq
	// What is not recorded as done yet would be recorded after the replay, and not delivered again.
	require.Eventually(t, func() bool { return replayer.Replay(t.Context(), "c", last+1) == nil }, patience, time.Millisecond)
	require.NoError(t, replayer.Replay(t.Context(), "c", second))
	assert.Equal(t, []string{"a", "b", "c", "b", "c"}, r.waitFor(t, 5))
	require.Error(t, replayer.Replay(t.Context(), "c", 1<<62), "nothing may be skipped")
	require.Error(t, replayer.Replay(t.Context(), "nobody", 1))
}

func testReentrant(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	var sub eventbus.Subscription
	ready := make(chan struct{})
	errs := make(chan error, 2)
	sub = subscribe(t, b, "c", func(ctx context.Context, e eventbus.Event) error {
		<-ready
		m, err := e.Message()
		if err != nil {
			return err
		}
		switch m.Text {
		case "ask":
			return b.Publish(ctx, eventbus.AgentResponse(e.Scope, "answer"))
		case "leave":
			errs <- sub.Close(ctx)
		case "answer":
			return r.handle(ctx, e)
		}
		return nil
	})
	close(ready)
	publish(t, b, "ask")
	r.waitFor(t, 1)
	publish(t, b, "leave")
	require.NoError(t, wait(t, errs))
	require.NoError(t, sub.Close(t.Context()), "a second Close waits for the handler")
	publish(t, b, "unheard")

	subscribe(t, b, "closer", func(ctx context.Context, _ eventbus.Event) error {
		errs <- b.Close(ctx)
		return nil
	})
	publish(t, b, "end")
	require.NoError(t, wait(t, errs))
	require.ErrorIs(t, b.Publish(t.Context(), eventbus.UserMessage(scope, "x")), schema.ErrClosed)
	require.NoError(t, b.Close(t.Context()))
}

func wait[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing happened", "within %s", patience)
		panic("unreachable")
	}
}

func testClose(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	var r recorder
	sub := subscribe(t, b, "c", r.handle)
	publish(t, b, "x")
	r.waitFor(t, 1)
	require.NoError(t, b.Close(t.Context()))
	require.NoError(t, b.Close(t.Context()), "twice is fine")
	require.NoError(t, sub.Close(t.Context()), "so is afterwards")
	require.ErrorIs(t, b.Publish(t.Context(), eventbus.UserMessage(scope, "y")), schema.ErrClosed)
	_, err := b.Subscribe(t.Context(), "d", r.handle)
	require.ErrorIs(t, err, schema.ErrClosed)
	assert.Equal(t, []string{"x"}, r.texts())
}

func testCloseWaits(t *testing.T, _ Features, s Setup) {
	b := s.Open(t)
	started, release := make(chan struct{}), make(chan struct{})
	finished := make(chan error, 1)
	subscribe(t, b, "c", func(ctx context.Context, _ eventbus.Event) error {
		close(started)
		<-release
		finished <- ctx.Err()
		return nil
	})
	publish(t, b, "x")
	wait(t, started)
	closed := make(chan error, 1)
	go func() { closed <- b.Close(context.Background()) }()
	select {
	case err := <-closed:
		require.Fail(t, "Close did not wait for the handler", "it returned %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	require.NoError(t, wait(t, closed))
	assert.NoError(t, <-finished, "a handler that ends in time is not cancelled")
}

func testCloseCancels(t *testing.T, f Features, s Setup) {
	b := s.Open(t)
	started := make(chan struct{})
	sub := subscribe(t, b, "c", func(ctx context.Context, _ eventbus.Event) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})
	publish(t, b, "x")
	wait(t, started)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.NoError(t, sub.Close(ctx), "the handler obeyed")
	if f.Durable {
		var r recorder
		subscribe(t, b, "c", r.handle)
		assert.Equal(t, []string{"x"}, r.waitFor(t, 1), "an attempt that was cut short does not count")
	}
}
