package extension

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/schema"
)

// leaving is a model whose caller goes away while it thinks.
type leaving struct {
	llms.Model
	leave func()
}

func (m leaving) GenerateContent(ctx context.Context, _ []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	m.leave()
	return nil, ctx.Err()
}

func TestCancelledTurnIsRecorded(t *testing.T) {
	x := openNew(t)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The kettle in the kitchen is blue.")))
	s, err := x.Session(Scope{User: ada.User, Session: "later"})
	require.NoError(t, err)

	busy, release, written := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { // somebody's write takes long
		written <- x.db.Write(context.Background(), func(context.Context, *schema.Tx) error {
			close(busy)
			<-release
			return nil
		})
	}()
	<-busy
	ctx, cancel := context.WithCancel(t.Context())
	_, err = llms.GenerateFromSinglePrompt(ctx, WrapModel(leaving{leave: cancel}, s), "What colour is the kettle?")
	require.ErrorIs(t, err, context.Canceled, "it waits for nobody")
	close(release)
	require.NoError(t, <-written)
	require.Eventually(t, func() bool {
		return len(bustest.Journal(t, x.bus, eventbus.TopicMemoryRecalled)) == 1
	}, 10*time.Second, time.Millisecond)
}
