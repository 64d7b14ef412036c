package bustest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// Features are the optional guarantees of a bus.
type Features struct {
	Durable       bool // events, positions and open retries outlive the bus
	Ordered       bool // a consumer sees events in the order they were published
	Redelivery    bool // a failed event is delivered again, and does not delay others
	Idempotent    bool // an id published twice has one effect
	Transactional bool // of one Publish, all events are stored or none
	Replay        bool // the bus is a [Replayer]
}

// Replayer is the interface of buses with the Replay feature.
type Replayer interface {
	Replay(ctx context.Context, consumer string, fromSeq int64) error
}

// Setup makes the buses under test.
type Setup struct {
	// Open makes a bus with storage of its own and has t clean it up.
	Open func(t *testing.T) eventbus.Bus
	// Reopen closes a bus and opens its storage again. Only for Durable.
	Reopen func(t *testing.T, old eventbus.Bus) eventbus.Bus
}

// patience is the time limit for an event. Only failures reach it.
const patience = 20 * time.Second

var scope = eventbus.Scope{Tenant: "t", User: "ada", Agent: "a", Session: "s"}

// Run runs the suite.
func Run(t *testing.T, f Features, s Setup) {
	cases := []struct {
		name string
		on   bool
		test func(*testing.T, Features, Setup)
	}{
		{"delivers to every consumer", true, testFanOut},
		{"filters topics", true, testTopics},
		{"takes concurrent publishers", true, testConcurrent},
		{"refuses bad events", true, testInvalid},
		{"refuses bad subscriptions", true, testInvalidSubscription},
		{"starts at the end or the start", true, testStart},
		{"close", true, testClose},
		{"close waits for a handler", true, testCloseWaits},
		{"close cancels a handler", true, testCloseCancels},
		{"handlers may call back", true, testReentrant},
		{"keeps order", f.Ordered, testOrder},
		{"delivers failures again", f.Redelivery, testRedelivery},
		{"survives a panic", f.Redelivery, testPanic},
		{"ids have one effect", f.Idempotent, testIdempotent},
		{"all or nothing", f.Transactional, testTransactional},
		{"goes on where it was", f.Durable, testDurable},
		{"replays", f.Replay, testReplay},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if !c.on {
				t.Skip("not promised by this bus")
			}
			c.test(t, f, s)
		})
	}
}

// recorder is a handler that keeps its events.
type recorder struct {
	mu     sync.Mutex
	events []eventbus.Event
	fail   func(eventbus.Event) error
}

func (r *recorder) handle(_ context.Context, e eventbus.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	if r.fail != nil {
		return r.fail(e)
	}
	return nil
}

func (r *recorder) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	texts := make([]string, len(r.events))
	for i, e := range r.events {
		m, err := e.Message()
		if err != nil {
			m.Text = e.Topic
		}
		texts[i] = m.Text
	}
	return texts
}

// waitFor waits until the recorder has n deliveries and returns their texts.
func (r *recorder) waitFor(t *testing.T, n int) []string {
	t.Helper()
	require.Eventually(t, func() bool { return len(r.texts()) >= n }, patience, 2*time.Millisecond,
		"%d events were delivered within %s, not %d", len(r.texts()), patience, n)
	return r.texts()
}

func subscribe(t *testing.T, b eventbus.Subscriber, name string, h eventbus.Handler, opts ...eventbus.SubscribeOption) eventbus.Subscription {
	t.Helper()
	s, err := b.Subscribe(t.Context(), name, h, opts...)
	require.NoError(t, err)
	require.Equal(t, name, s.Name())
	return s
}

func publish(t *testing.T, b eventbus.Publisher, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.NoError(t, b.Publish(t.Context(), eventbus.UserMessage(scope, text)))
	}
}

func numbered(prefix string, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return texts
}

func soon(attempt int) time.Duration { return time.Duration(attempt) * time.Millisecond }
