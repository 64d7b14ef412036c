package eventbus_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/bustest"
)

var promises = bustest.Features{Durable: true, Ordered: true, Redelivery: true, Idempotent: true, Transactional: true, Replay: true}

func TestJournalConformance(t *testing.T) {
	bustest.Run(t, promises, bustest.Setup{
		Open: func(t *testing.T) eventbus.Bus { return newOnFile(t, filepath.Join(t.TempDir(), "memory.db")) },
		Reopen: func(t *testing.T, old eventbus.Bus) eventbus.Bus {
			require.NoError(t, old.Close(t.Context()))
			return newOnFile(t, old.(*onFile).path)
		},
	})
}

// onFile is a journal with its path.
type onFile struct {
	*eventbus.Journal
	path string
}

func newOnFile(t *testing.T, path string) *onFile {
	return &onFile{journal(t, open(t, path), nil), path}
}

// pair publishes through one handle of a file and subscribes through another, as
// two processes do.
type pair struct {
	publisher, subscriber *eventbus.Journal
	path                  string
}

func newPair(t *testing.T, path string) *pair {
	opts := &eventbus.JournalOptions{Poll: 10 * time.Millisecond}
	return &pair{journal(t, open(t, path), opts), journal(t, open(t, path), opts), path}
}

func (p *pair) Publish(ctx context.Context, events ...eventbus.Event) error {
	return p.publisher.Publish(ctx, events...)
}

func (p *pair) Subscribe(ctx context.Context, name string, h eventbus.Handler, opts ...eventbus.SubscribeOption) (eventbus.Subscription, error) {
	return p.subscriber.Subscribe(ctx, name, h, opts...)
}

func (p *pair) Replay(ctx context.Context, consumer string, fromSeq int64) error {
	return p.publisher.Replay(ctx, consumer, fromSeq)
}

func (p *pair) Close(ctx context.Context) error {
	return errors.Join(p.publisher.Close(ctx), p.subscriber.Close(ctx))
}

func TestTwoHandlesConformance(t *testing.T) {
	bustest.Run(t, promises, bustest.Setup{
		Open: func(t *testing.T) eventbus.Bus { return newPair(t, filepath.Join(t.TempDir(), "memory.db")) },
		Reopen: func(t *testing.T, old eventbus.Bus) eventbus.Bus {
			require.NoError(t, old.Close(t.Context()))
			return newPair(t, old.(*pair).path)
		},
	})
}
