package jetstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	broker "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/internal/racing"
)

// report publishes a memory.stored report with a text as its id. Reports of unknown users
// are dropped.
func report(t testing.TB, j *eventbus.Journal, ids ...string) {
	t.Helper()
	require.NoError(t, j.Publish(context.Background(), eventbus.UserMessage(ada, "x", eventbus.WithID("known"))))
	for _, id := range ids {
		e, err := eventbus.New(eventbus.TopicMemoryStored, ada, eventbus.OriginUser, eventbus.Stored{ID: id, Kind: "episode"})
		require.NoError(t, err)
		e.ID = ""
		require.NoError(t, j.Report(context.Background(), e))
	}
}

// published returns the ids of the reports in the outgoing stream, oldest first.
func published(t testing.TB, js broker.JetStream) []string {
	t.Helper()
	var ids []string
	for _, m := range kept(t, js, out) {
		var e eventbus.Event
		require.NoError(t, json.Unmarshal(m.Data, &e))
		require.Equal(t, "ebb."+e.Topic, m.Subject)
		var s eventbus.Stored
		require.NoError(t, e.Decode(&s))
		ids = append(ids, s.ID)
	}
	return ids
}

func numbered(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(prefix, i)
	}
	return ids
}

func TestReportsAreForwarded(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	report(t, j, "before")
	box := newOutbox(t, j, js, jetstream.OutboxOptions{FromStart: true})
	require.NoError(t, j.Publish(t.Context(), eventbus.UserMessage(ada, "not a report")))
	report(t, j, numbered("r", 50)...)
	require.NoError(t, j.WaitIdle(t.Context()))
	want := append([]string{"before"}, numbered("r", 50)...)
	assert.Equal(t, want, published(t, js))

	// The position survives. What is published again is dropped by the stream.
	require.NoError(t, box.Close(t.Context()))
	report(t, j, "while away")
	newOutbox(t, j, js, jetstream.OutboxOptions{})
	require.NoError(t, j.WaitIdle(t.Context()))
	want = append(want, "while away")
	require.NoError(t, j.Replay(t.Context(), "jetstream", 1))
	require.NoError(t, j.WaitIdle(t.Context()))
	assert.Equal(t, want, published(t, js))
}

// Two memories may use the same positions and ids in one stream.
func TestTwoMemoriesOneStream(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	for _, id := range []string{"a", "b"} {
		j := newJournal(t)
		newOutbox(t, j, js, jetstream.OutboxOptions{})
		report(t, j, id)
		require.NoError(t, j.WaitIdle(t.Context()))
	}
	assert.ElementsMatch(t, []string{"a", "b"}, published(t, js))
}

// While the stream is full or the broker is down, events wait in order, and Close does
// not wait for them.
func TestStreamIsFull(t *testing.T) {
	t.Parallel()
	n, js := newNest(t)
	cfg := broker.StreamConfig{Name: out, Subjects: []string{"ebb.>"}, MaxMsgs: 3, Discard: broker.DiscardNew}
	stream(t, js, cfg)
	path := filepath.Join(t.TempDir(), "memory.db")
	j := open(t, path)
	var reported faults
	box := newOutbox(t, j, js, jetstream.OutboxOptions{ErrorHook: reported.report})
	want := numbered("r", 20)
	report(t, j, want[:10]...)
	require.Eventually(t, func() bool { return reported.count() > 2 }, patience, 2*time.Millisecond)
	require.ErrorContains(t, reported.joined(), "maximum messages exceeded")
	require.Equal(t, want[:3], published(t, js))
	require.NoError(t, box.Close(t.Context()), "a waiting event is cancelled")

	cfg.MaxMsgs = -1
	stream(t, js, cfg)
	newOutbox(t, j, js, jetstream.OutboxOptions{})
	require.NoError(t, j.WaitIdle(t.Context()))
	require.Equal(t, want[:10], published(t, js))

	n.halt()
	report(t, j, want[10:15]...)
	n.start(t)
	report(t, j, want[15:]...)
	require.NoError(t, j.WaitIdle(t.Context()))
	assert.Equal(t, want, published(t, js))
	parked, err := j.Parked(t.Context(), "jetstream")
	require.NoError(t, err)
	assert.Empty(t, parked)
}

// An event that the stream can never take is parked, and those after it are published.
func TestTooLargeForTheStream(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	stream(t, js, broker.StreamConfig{Name: out, Subjects: []string{"ebb.>"}, MaxMsgSize: 4096})
	j := newJournal(t)
	newOutbox(t, j, js, jetstream.OutboxOptions{})
	report(t, j, "small", strings.Repeat("x", 5000), strings.Repeat("y", 2<<20-300), "after")
	require.NoError(t, j.WaitIdle(t.Context()))
	assert.Equal(t, []string{"small", "after"}, published(t, js))
	parked, err := j.Parked(t.Context(), "jetstream")
	require.NoError(t, err)
	assert.Len(t, parked, 2)
}

// A consumer of the outgoing stream that is slow, and one that subscribes late, cost
// the outbox nothing: the stream keeps what they have not read.
func TestSlowConsumer(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	slow, err := js.CreateConsumer(t.Context(), out, broker.ConsumerConfig{Durable: "slow", MaxAckPending: 1})
	require.NoError(t, err)
	j := newJournal(t)
	newOutbox(t, j, js, jetstream.OutboxOptions{})
	want := numbered("r", 60)
	report(t, j, want...)
	require.NoError(t, j.WaitIdle(t.Context()), "it does not wait for readers")
	info, err := slow.Info(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 60, info.NumPending)
	var got []string
	for range want {
		msg, err := slow.Next()
		require.NoError(t, err)
		var e eventbus.Event
		require.NoError(t, json.Unmarshal(msg.Data(), &e))
		var s eventbus.Stored
		require.NoError(t, e.Decode(&s))
		got = append(got, s.ID)
		require.NoError(t, msg.DoubleAck(t.Context()))
	}
	assert.Equal(t, want, got)
}
