package jetstream_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	broker "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/schema"
)

// through is a bus whose publishers reach the journal through a stream. Publish waits
// until the memory has the events.
type through struct {
	*eventbus.Journal

	nest   *nest
	js     broker.JetStream
	inbox  *jetstream.Inbox
	path   string
	closed atomic.Bool
}

func (b *through) Publish(ctx context.Context, events ...eventbus.Event) error {
	if b.closed.Load() {
		return schema.ErrClosed
	}
	var last uint64
	for _, e := range events {
		msg, err := jetstream.Message("in", e)
		if err != nil {
			return err
		}
		ack, err := b.js.PublishMsg(ctx, msg)
		if err != nil {
			return err
		}
		last = max(last, ack.Sequence)
	}
	for last > 0 {
		c, err := b.js.Consumer(ctx, in, "ebb")
		if err != nil && !errors.Is(err, broker.ErrConsumerNotFound) {
			return err
		}
		if err == nil && c.CachedInfo().AckFloor.Stream >= last {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func (b *through) Close(ctx context.Context) error {
	b.closed.Store(true)
	return errors.Join(b.inbox.Close(ctx), b.Journal.Close(ctx))
}

func newThrough(t *testing.T, n *nest, js broker.JetStream, path string) *through {
	j := open(t, path)
	return &through{Journal: j, nest: n, js: js, path: path, inbox: newInbox(t, j, js, jetstream.InboxOptions{Host: true})}
}

// All promises of the journal hold through a stream, except that events published
// together are messages of their own.
func TestConformance(t *testing.T) {
	bustest.Run(t, bustest.Features{Durable: true, Ordered: true, Redelivery: true, Idempotent: true, Replay: true}, bustest.Setup{
		Open: func(t *testing.T) eventbus.Bus {
			n, js := newNest(t)
			return newThrough(t, n, js, filepath.Join(t.TempDir(), "memory.db"))
		},
		Reopen: func(t *testing.T, old eventbus.Bus) eventbus.Bus {
			b := old.(*through)
			require.NoError(t, b.Close(t.Context()))
			b.nest.halt()
			b.nest.start(t)
			return newThrough(t, b.nest, b.nest.connect(t), b.path)
		},
	})
}
