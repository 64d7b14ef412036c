package jetstream_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/schema"
)

const (
	in   = "IN"
	out  = "OUT"
	dead = "ebb.dead"
)

// patience is the time limit for what happens in the background. Only failures reach it.
const patience = 20 * time.Second

// nest is a NATS server in this process that can be stopped and started again on its
// files. Clients reconnect to the new one.
type nest struct {
	dir string

	mu  sync.Mutex
	now *server.Server
}

func (n *nest) InProcessConn() (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.now == nil {
		return nil, errors.New("the server is down")
	}
	return n.now.InProcessConn()
}

func (n *nest) start(t testing.TB) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		ServerName: "nest", DontListen: true, JetStream: true, StoreDir: n.dir, SyncAlways: true, NoSigs: true, NoLog: true,
		MaxPayload: 2 << 20, JetStreamMaxMemory: 1 << 24, JetStreamMaxStore: 1 << 30,
	})
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(patience))
	n.mu.Lock()
	n.now = s
	n.mu.Unlock()
}

func (n *nest) halt() {
	n.mu.Lock()
	s := n.now
	n.now = nil
	n.mu.Unlock()
	if s != nil {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// connect opens a connection of its own.
func (n *nest) connect(t testing.TB) broker.JetStream {
	t.Helper()
	conn, err := nats.Connect("", nats.InProcessServer(n), nats.MaxReconnects(-1), nats.ReconnectWait(5*time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := broker.New(conn)
	require.NoError(t, err)
	return js
}

// newNest starts a server with a stream for each direction and one for dead letters.
func newNest(t testing.TB) (*nest, broker.JetStream) {
	t.Helper()
	n := &nest{dir: t.TempDir()}
	n.start(t)
	t.Cleanup(n.halt)
	js := n.connect(t)
	for name, subject := range map[string]string{in: "in.>", out: "ebb.>", "DEAD": "dead.>"} {
		stream(t, js, broker.StreamConfig{Name: name, Subjects: []string{subject}})
	}
	return n, js
}

func stream(t testing.TB, js broker.JetStream, cfg broker.StreamConfig) broker.Stream {
	t.Helper()
	s, err := js.CreateOrUpdateStream(t.Context(), cfg)
	require.NoError(t, err)
	return s
}

func open(t testing.TB, path string) *eventbus.Journal {
	t.Helper()
	db, err := schema.Open(context.Background(), path, nil)
	require.NoError(t, err)
	j := eventbus.NewJournal(db, &eventbus.JournalOptions{Poll: 10 * time.Millisecond})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		require.NoError(t, j.Close(ctx))
		require.NoError(t, db.Close())
	})
	return j
}

func newJournal(t testing.TB) *eventbus.Journal {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "memory.db"))
}

func soon(int) time.Duration { return 5 * time.Millisecond }

// faults keeps reported errors.
type faults struct {
	mu  sync.Mutex
	all []error
}

func (f *faults) report(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, err)
}

func (f *faults) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

func (f *faults) joined() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.all...)
}

func newInbox(t testing.TB, bus eventbus.Publisher, js broker.JetStream, o jetstream.InboxOptions) *jetstream.Inbox {
	t.Helper()
	o.Stream, o.DeadLetter = in, cmp.Or(o.DeadLetter, "dead.letters")
	if o.Backoff == nil {
		o.Backoff = soon
	}
	if o.Accept == nil {
		o.Accept = jetstream.AnyUser
	}
	i, err := jetstream.NewInbox(bus, js, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, i.Close(context.Background())) })
	return i
}

func newOutbox(t testing.TB, bus eventbus.Subscriber, js broker.Publisher, o jetstream.OutboxOptions) *jetstream.Outbox {
	t.Helper()
	if o.Backoff == nil {
		o.Backoff = soon
	}
	box, err := jetstream.NewOutbox(t.Context(), bus, js, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close(context.Background())) })
	return box
}

// send publishes events to the stream that the inbox reads.
func send(t testing.TB, js broker.JetStream, events ...eventbus.Event) (last uint64) {
	t.Helper()
	for _, e := range events {
		msg, err := jetstream.Message("in", e)
		require.NoError(t, err)
		require.Eventually(t, func() bool { // a connection may be about to notice that it is cut
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			ack, err := js.PublishMsg(ctx, msg)
			if err == nil {
				last = ack.Sequence
			}
			return err == nil
		}, patience, time.Millisecond)
	}
	return last
}

// settled waits until the inbox is done with all of its stream.
func settled(t testing.TB, js broker.JetStream) {
	t.Helper()
	s, err := js.Stream(t.Context(), in)
	require.NoError(t, err)
	last := s.CachedInfo().State.LastSeq
	require.Eventually(t, func() bool {
		c, err := js.Consumer(t.Context(), in, "ebb")
		return err == nil && c.CachedInfo().AckFloor.Stream >= last
	}, patience, 2*time.Millisecond)
}

// kept returns what a stream holds, oldest first.
func kept(t testing.TB, js broker.JetStream, name string) (msgs []*broker.RawStreamMsg) {
	t.Helper()
	s, err := js.Stream(t.Context(), name)
	require.NoError(t, err)
	info := s.CachedInfo()
	if info.State.Msgs == 0 {
		return nil
	}
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		require.NoError(t, err)
		msgs = append(msgs, m)
	}
	return msgs
}

func texts(t testing.TB, events []eventbus.Event) []string {
	t.Helper()
	all := make([]string, len(events))
	for i, e := range events {
		m, err := e.Message()
		require.NoError(t, err)
		all[i] = m.Text
	}
	return all
}
