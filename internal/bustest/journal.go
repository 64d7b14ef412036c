package bustest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

var readers atomic.Int64

// Journal returns the events of a journal, oldest first. topics are topics or patterns
// as in [eventbus.Topics]; none means all. It reads as a new consumer.
func Journal(t testing.TB, bus eventbus.Durable, topics ...string) []eventbus.Event {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	name := fmt.Sprintf("bustest %d %d", time.Now().UnixNano(), readers.Add(1))
	var r recorder
	sub, err := bus.Subscribe(ctx, name, r.handle, eventbus.FromStart(), eventbus.Topics(topics...))
	require.NoError(t, err)
	require.NoError(t, bus.WaitIdle(ctx, name))
	require.NoError(t, sub.Close(ctx))
	return r.events
}
