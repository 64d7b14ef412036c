package jetstream_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
)

// BenchmarkInbox stores messages of a stream, one at a time and several together.
func BenchmarkInbox(b *testing.B) {
	for _, flight := range []int{1, 8} {
		b.Run(fmt.Sprint(flight), func(b *testing.B) {
			_, js := newNest(b)
			j := newJournal(b)
			for i := range b.N {
				send(b, js, eventbus.UserMessage(ada, fmt.Sprint("note ", i)))
			}
			b.ResetTimer()
			newInbox(b, j, js, jetstream.InboxOptions{Host: true, InFlight: flight})
			settled(b, js)
		})
	}
}

// BenchmarkOutbox publishes reports to a stream.
func BenchmarkOutbox(b *testing.B) {
	_, js := newNest(b)
	j := newJournal(b)
	events := make([]eventbus.Event, b.N)
	for i := range events {
		var err error
		events[i], err = eventbus.New(eventbus.TopicMemoryStored, ada, eventbus.OriginUser, eventbus.Stored{ID: fmt.Sprint(i)})
		require.NoError(b, err)
	}
	report(b, j) // now ada is known
	require.NoError(b, j.Report(b.Context(), events...))
	b.ResetTimer()
	newOutbox(b, j, js, jetstream.OutboxOptions{FromStart: true})
	require.NoError(b, j.WaitIdle(b.Context()))
}
