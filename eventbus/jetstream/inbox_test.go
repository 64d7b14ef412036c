package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/internal/bustest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/schema"
)

var ada = eventbus.Scope{User: "ada", Session: "s"}

// publishing is a publisher that a test makes fail.
type publishing func(ctx context.Context, events ...eventbus.Event) error

func (p publishing) Publish(ctx context.Context, events ...eventbus.Event) error {
	return p(ctx, events...)
}

// Each message that can never be stored becomes one dead letter with its reason, and
// those around it are stored.
func TestPoisonedMessages(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	// Its body just fits, and with the headers of a dead letter it does not.
	stream(t, js, broker.StreamConfig{Name: "DEAD", Subjects: []string{"dead.>"}, MaxMsgSize: 2 << 20})
	j := newJournal(t)
	const good = `{"id":"%s","topic":"user.message","scope":{"user":"ada"},"payload":{"text":"%s"}}`
	long := strings.Repeat("x", 2<<20-250)
	bodies := []struct{ body, reason string }{
		{fmt.Sprintf(good, "first", "first"), ""},
		{`{"id":"a","topic":"user.mess`, "message is not an event: it ends before its JSON is complete"},
		{``, "message is not an event: it ends before its JSON is complete"},
		{`hello`, "message is not an event: it breaks the syntax of JSON at byte 1"},
		{`{"topic":"user.message","scope":{"user":"ada"},"payload":{"text":"x"},"trusted":true}`, "message is not an event: it has a field that is not known"},
		{fmt.Sprintf(good, "b", "x") + `{}`, "message is not an event"},
		{`{"topic":"user.message","scope":{"user":"ada"},"payload":{"text":" "}}`, "text"},
		{`{"topic":"user.message","scope":{"user":""},"payload":{"text":"x"}}`, "Scope.User"},
		{`{"topic":"memory.stored","scope":{"user":"ada"},"origin":"user_direct","payload":{}}`, "Topic memory.stored is written by ebb alone"},
		{`{"topic":"my.own","scope":{"user":"ada"},"payload":{}}`, "Origin"},
		{`{"topic":"user.message","scope":{"user":"ada"},"origin":"import","trust":4,"payload":{"text":"x"}}`, "Trust"},
		{`{"topic":"user.message","scope":{"user":"mallory"},"payload":{"text":"x"}}`, "Scope.User is not the user of this stream"},
		{fmt.Sprintf(good, strings.Repeat("i", 600), "x"), "ID"},
		{fmt.Sprintf(good, "long", long), "text"},
		{fmt.Sprintf(good, "last", "last"), ""},
	}
	for _, b := range bodies {
		msg := &nats.Msg{Subject: "in.chat", Data: []byte(b.body), Header: nats.Header{"Trace": {"7"}}}
		_, err := js.PublishMsg(t.Context(), msg)
		require.NoError(t, err)
	}
	var reported faults
	newInbox(t, j, js, jetstream.InboxOptions{Host: true, Accept: jetstream.OnlyUser("", "ada"), ErrorHook: reported.report})
	settled(t, js)
	assert.Equal(t, []string{"first", "last"}, texts(t, bustest.Journal(t, j)))
	letters := kept(t, js, "DEAD")
	require.Len(t, letters, len(bodies)-2)
	for i, letter := range letters {
		b := bodies[i+1]
		assert.True(t, strings.HasPrefix(letter.Header.Get(jetstream.HeaderReason), b.reason), "%.80s: %s", b.body, letter.Header.Get(jetstream.HeaderReason))
		assert.Equal(t, []string{in, "in.chat", fmt.Sprint(i + 2), "7"}, []string{
			letter.Header.Get(jetstream.HeaderStream), letter.Header.Get(jetstream.HeaderSubject), letter.Header.Get(jetstream.HeaderSequence), letter.Header.Get("Trace"),
		})
		if omitted := letter.Header.Get(jetstream.HeaderOmitted) != ""; assert.Equal(t, len(b.body) > 1<<19, omitted) && !omitted {
			assert.Equal(t, b.body, string(letter.Data))
		}
	}
	assert.Equal(t, len(letters), reported.count())
}

// A message whose dead letter is too large, or would be read again, does not hold up those
// after it.
func TestDeadLettersThatDoNotFit(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	for name, c := range map[string]struct {
		header  int    // bytes
		most    int32  // bytes of a dead letter
		subject string // of dead letters
		sent    int    // that the stream of the messages holds in the end
		letters int
	}{
		"large headers":      {header: 65_400, most: -1, subject: "dead.x", sent: 2, letters: 1},
		"no room at all":     {header: 100, most: 50, subject: "dead.x", sent: 2},
		"in the same stream": {header: 100, most: -1, subject: "in.dead", sent: 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, js := newNest(t)
			stream(t, js, broker.StreamConfig{Name: "DEAD", Subjects: []string{"dead.>"}, MaxMsgSize: c.most})
			j := newJournal(t)
			var reported faults
			_, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "in.x", Data: []byte("no"), Header: nats.Header{"Trace": {strings.Repeat("x", c.header)}}})
			require.NoError(t, err)
			newInbox(t, j, js, jetstream.InboxOptions{Host: true, DeadLetter: c.subject, ErrorHook: reported.report})
			settled(t, js)
			send(t, js, eventbus.UserMessage(ada, "after"))
			settled(t, js)
			assert.Equal(t, []string{"after"}, texts(t, bustest.Journal(t, j)))
			assert.Len(t, kept(t, js, in), c.sent)
			letters := kept(t, js, "DEAD")
			require.Len(t, letters, c.letters)
			for _, letter := range letters {
				assert.Empty(t, letter.Header.Get("Trace"))
				assert.Contains(t, letter.Header.Get(jetstream.HeaderReason), "is not an event")
				assert.Equal(t, "true", letter.Header.Get(jetstream.HeaderOmitted))
			}
			assert.Positive(t, reported.count())
		})
	}
}

// A dead letter carries no instructions to its stream.
func TestDeadLettersInstructNothing(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	stream(t, js, broker.StreamConfig{Name: in, Subjects: []string{"in.>"}, AllowRollup: true})
	stream(t, js, broker.StreamConfig{Name: "DEAD", Subjects: []string{"dead.>"}, AllowRollup: true})
	newInbox(t, newJournal(t), js, jetstream.InboxOptions{})
	for i := range 3 {
		_, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: fmt.Sprint("in.", i), Data: []byte("no"), Header: nats.Header{"Nats-Rollup": {"sub"}}})
		require.NoError(t, err)
	}
	settled(t, js)
	assert.Len(t, kept(t, js, "DEAD"), 3, "none replaced another")
}

// A stream has the trust that its subscription declares, whatever its messages say.
func TestSubscriptionSetsTrust(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	send := func(t *testing.T, host bool) (stored []eventbus.Event, refused int) {
		t.Helper()
		_, js := newNest(t)
		j := newJournal(t)
		for _, body := range []string{
			`{"id":"m1","topic":"user.message","scope":{"user":"ada"},"payload":{"text":"one"}}`,
			`{"id":"m2","topic":"agent.response","scope":{"user":"ada"},"payload":{"text":"two","partial":true}}`,
			`{"id":"m3","topic":"tool.result","scope":{"user":"ada"},"payload":{"text":"three","tool":"web"}}`,
			`{"topic":"user.message","scope":{"user":"ada"},"origin":"user_direct","payload":{"text":"four"}}`,
			`{"topic":"user.message","scope":{"user":"ada"},"occurred_at":"2020-01-01T00:00:00Z","payload":{"text":"five"}}`,
			`{"topic":"user.message","scope":{"user":"ada"},"payload":{"text":"six","speaker":"Ada"}}`,
			`{"topic":"user.message","scope":{"user":"ada"},"payload":{"text":"seven","importance":9}}`,
			`{"topic":"host.thing","scope":{"user":"ada"},"origin":"tool_internal","payload":{"text":"eight"}}`,
		} {
			_, err := js.Publish(t.Context(), "in.x", []byte(body))
			require.NoError(t, err)
		}
		newInbox(t, j, js, jetstream.InboxOptions{Host: host})
		settled(t, js)
		return bustest.Journal(t, j), len(kept(t, js, "DEAD"))
	}
	stored, refused := send(t, true)
	require.Len(t, stored, 8)
	assert.Zero(t, refused)
	assert.Equal(t, "m1", stored[0].ID)
	for i, level := range []eventbus.Trust{4, 4, 1, 4, 4, 4, 4, 3} {
		assert.Equal(t, level, stored[i].TrustLevel(), i)
	}
	assert.Equal(t, 2020, stored[4].OccurredAt.Year())

	stored, refused = send(t, false)
	require.Equal(t, []string{"one", "two", "three"}, texts(t, stored))
	assert.Equal(t, 5, refused)
	for i, e := range stored {
		assert.Equal(t, eventbus.Trust(1), e.TrustLevel())
		assert.Equal(t, fmt.Sprint("client:m", i+1), e.ID)
		assert.WithinDuration(t, time.Now(), e.OccurredAt, time.Hour, "the stream's time")
	}
	m, err := stored[1].Message()
	require.NoError(t, err)
	assert.True(t, m.Partial)
}

// What a client's message says beyond its text is not lost or overwritten: the message is
// refused.
func TestClientMessagesAreReadStrictly(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	for _, payload := range []string{
		`{"text":"one"}`, `{"text":"two","role":"user"}`,
		`{"text":"three","role":"assistant"}`, `{"text":"four","reply_to":"m1"}`, `{"text":"five"} {}`,
	} {
		_, err := js.Publish(t.Context(), "in.x", []byte(`{"topic":"user.message","scope":{"user":"ada"},"payload":`+payload+`}`))
		require.NoError(t, err)
	}
	newInbox(t, j, js, jetstream.InboxOptions{})
	settled(t, js)
	assert.Equal(t, []string{"one", "two"}, texts(t, bustest.Journal(t, j)))
	assert.Len(t, kept(t, js, "DEAD"), 3)
}

// A host's Backoff that panics is reported and costs no message.
func TestBackoffThatPanics(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	var reported faults
	broken := func(int) time.Duration { panic("broken") }
	failed := false
	newInbox(t, publishing(func(ctx context.Context, events ...eventbus.Event) error {
		if !failed {
			failed = true
			return errors.New("not now")
		}
		return j.Publish(ctx, events...)
	}), js, jetstream.InboxOptions{Host: true, Backoff: broken, ErrorHook: reported.report})
	send(t, js, eventbus.UserMessage(ada, "hello"))
	settled(t, js)
	assert.Equal(t, []string{"hello"}, texts(t, bustest.Journal(t, j)))
	require.ErrorContains(t, reported.joined(), "Backoff")

	var refused faults
	cfg := broker.StreamConfig{Name: out, Subjects: []string{"ebb.>"}, MaxMsgs: 1, Discard: broker.DiscardNew}
	stream(t, js, cfg)
	newOutbox(t, j, js, jetstream.OutboxOptions{Backoff: broken, ErrorHook: refused.report})
	report(t, j, "r1", "r2")
	require.Eventually(t, func() bool { return refused.count() > 1 }, patience, 2*time.Millisecond)
	require.ErrorContains(t, refused.joined(), "Backoff")
	cfg.MaxMsgs = -1
	stream(t, js, cfg)
	require.NoError(t, j.WaitIdle(t.Context()))
	assert.Equal(t, []string{"r1", "r2"}, published(t, js))
}

// A message without an id is stored once too: its header or its place in the stream
// identifies it.
func TestDeliveredTwice(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	const body = `{"topic":"user.message","scope":{"user":"ada"},"payload":{"text":"%s"}}`
	for _, text := range []string{"same", "same"} {
		_, err := js.Publish(t.Context(), "in.x", fmt.Appendf(nil, body, text))
		require.NoError(t, err)
	}
	_, err := js.Publish(t.Context(), "in.x", fmt.Appendf(nil, body, "named"), broker.WithMsgID("n1"))
	require.NoError(t, err)
	inbox := newInbox(t, j, js, jetstream.InboxOptions{Host: true})
	settled(t, js)
	require.NoError(t, inbox.Close(t.Context()))
	require.NoError(t, js.DeleteConsumer(t.Context(), in, "ebb")) // the position is lost
	newInbox(t, j, js, jetstream.InboxOptions{Host: true})
	settled(t, js)
	stored := bustest.Journal(t, j)
	assert.Equal(t, []string{"same", "same", "named"}, texts(t, stored))
	assert.Equal(t, "n1", stored[2].ID)
}

// While the memory cannot be written, the stream waits, and then goes on in order. What
// redaction refuses again and again becomes a dead letter.
func TestMemoryRefuses(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	var failures atomic.Int32
	var reported faults
	newInbox(t, publishing(func(ctx context.Context, events ...eventbus.Event) error {
		switch m, _ := events[0].Message(); {
		case m.Text == "m1" && failures.Add(1) <= 3:
			return fmt.Errorf("write: %w", schema.ErrDiskFull)
		case m.Text == "m2":
			return schema.NewRedactionError(errors.New("no"))
		}
		return j.Publish(ctx, events...)
	}), js, jetstream.InboxOptions{ErrorHook: reported.report})
	for i := range 4 {
		client(t, js, fmt.Sprint("m", i))
	}
	settled(t, js)
	assert.Equal(t, []string{"m0", "m1", "m3"}, texts(t, bustest.Journal(t, j)))
	require.Len(t, kept(t, js, "DEAD"), 1)
	require.ErrorIs(t, reported.joined(), schema.ErrDiskFull)
}

// A program that is killed while it stores a message leaves it to the next one, which
// stores the stream in order.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	hanging := make(chan struct{}, 16)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	first := newInbox(t, publishing(func(ctx context.Context, events ...eventbus.Event) error {
		hanging <- struct{}{}
		select { // and never acknowledges
		case <-release:
		case <-ctx.Done():
		}
		return ctx.Err()
	}), js, jetstream.InboxOptions{Host: true, AckWait: 100 * time.Millisecond})
	want := make([]string, 20)
	for i := range want {
		want[i] = fmt.Sprint("m", i)
		send(t, js, eventbus.UserMessage(ada, want[i]))
	}
	<-hanging
	newInbox(t, j, js, jetstream.InboxOptions{Host: true, AckWait: 100 * time.Millisecond})
	require.Eventually(t, func() bool { return len(bustest.Journal(t, j)) > 0 }, patience, time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, first.Close(ctx), "its publisher is cancelled")
	settled(t, js)
	assert.Equal(t, want, texts(t, bustest.Journal(t, j)))
}

// A broker that goes and comes back, and one that is not there at first, cost no
// message.
func TestInboxReconnects(t *testing.T) {
	t.Parallel()
	n, js := newNest(t)
	j := newJournal(t)
	send(t, js, eventbus.UserMessage(ada, "before"))
	n.halt()
	var reported faults
	newInbox(t, j, js, jetstream.InboxOptions{Host: true, ErrorHook: reported.report})
	for round := range 3 {
		n.start(t)
		require.Eventually(t, js.Conn().IsConnected, patience, time.Millisecond)
		send(t, js, eventbus.UserMessage(ada, fmt.Sprint("round ", round)))
		require.Eventually(t, func() bool { return len(bustest.Journal(t, j)) == round+2 }, patience, 2*time.Millisecond)
		n.halt()
	}
	assert.Equal(t, []string{"before", "round 0", "round 1", "round 2"}, texts(t, bustest.Journal(t, j)))
}

// vanishing is a connection to a broker whose first consumer stops sending, as one does that
// is deleted while the connection is down.
type vanishing struct {
	broker.JetStream
	once sync.Once
}

func (v *vanishing) CreateOrUpdateConsumer(ctx context.Context, stream string, cfg broker.ConsumerConfig) (broker.Consumer, error) {
	c, err := v.JetStream.CreateOrUpdateConsumer(ctx, stream, cfg)
	v.once.Do(func() { c = vanished{c} })
	return c, err
}

type vanished struct{ broker.Consumer }

func (vanished) Messages(...broker.PullMessagesOpt) (broker.MessagesContext, error) {
	return new(silent), nil
}

// silent has no messages until it is stopped.
type silent struct{ stopped atomic.Bool }

func (s *silent) Next(...broker.NextOpt) (broker.Msg, error) {
	time.Sleep(time.Millisecond)
	if s.stopped.Load() {
		return nil, broker.ErrMsgIteratorClosed
	}
	return nil, broker.ErrNoHeartbeat
}

func (s *silent) Stop()  { s.stopped.Store(true) }
func (s *silent) Drain() { s.Stop() }

// A consumer that has vanished is made again.
func TestConsumerVanishes(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	send(t, js, eventbus.UserMessage(ada, "x"))
	var reported faults
	newInbox(t, j, &vanishing{JetStream: js}, jetstream.InboxOptions{Host: true, InFlight: 2, ErrorHook: reported.report})
	settled(t, js)
	assert.Equal(t, []string{"x"}, texts(t, bustest.Journal(t, j)))
	require.ErrorIs(t, reported.joined(), broker.ErrNoHeartbeat)
}

// With several messages in flight, all of them are stored, and they overlap.
func TestInFlight(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	const together = 4
	var arrived sync.WaitGroup
	arrived.Add(together)
	var calls atomic.Int32
	newInbox(t, publishing(func(ctx context.Context, events ...eventbus.Event) error {
		if calls.Add(1) <= together {
			arrived.Done()
			arrived.Wait()
		}
		return j.Publish(ctx, events...)
	}), js, jetstream.InboxOptions{Host: true, InFlight: together})
	var want []string
	for i := range 40 {
		want = append(want, fmt.Sprint("m", i))
		send(t, js, eventbus.UserMessage(ada, want[i]))
	}
	settled(t, js)
	assert.ElementsMatch(t, want, texts(t, bustest.Journal(t, j)))
}

// A memory that is closed first ends its inbox; nothing is acknowledged that was not
// stored.
func TestMemoryClosedFirst(t *testing.T) {
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	require.NoError(t, j.Close(t.Context()))
	var reported faults
	inbox := newInbox(t, j, js, jetstream.InboxOptions{Host: true, ErrorHook: reported.report})
	send(t, js, eventbus.UserMessage(ada, "kept"))
	require.Eventually(t, func() bool { return reported.count() > 0 }, patience, time.Millisecond)
	require.NoError(t, inbox.Close(t.Context()))
	require.ErrorIs(t, reported.joined(), schema.ErrClosed)
	next := newJournal(t)
	newInbox(t, next, js, jetstream.InboxOptions{Host: true})
	settled(t, js)
	assert.Equal(t, []string{"kept"}, texts(t, bustest.Journal(t, next)))
}

func TestInvalidOptions(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	good := jetstream.InboxOptions{Stream: in, DeadLetter: "dead.letters", Accept: jetstream.AnyUser}
	for field, spoil := range map[string]func(*jetstream.InboxOptions){
		"Stream":              func(o *jetstream.InboxOptions) { o.Stream = "" },
		"Accept":              func(o *jetstream.InboxOptions) { o.Accept = nil },
		"DeadLetter":          func(o *jetstream.InboxOptions) { o.DeadLetter = "dead.>" },
		"InFlight or AckWait": func(o *jetstream.InboxOptions) { o.InFlight = -1 },
	} {
		o := good
		spoil(&o)
		_, err := jetstream.NewInbox(nil, nil, o)
		var invalid *schema.InvalidError
		if assert.ErrorAs(t, err, &invalid) {
			assert.Equal(t, field, invalid.Field)
		}
	}
	for _, prefix := range []string{".", "a..b", "a b", "a.", "a.*", "\x00"} {
		_, err := jetstream.NewOutbox(t.Context(), nil, nil, jetstream.OutboxOptions{Prefix: prefix})
		require.Error(t, err, prefix)
	}
	_, err := jetstream.Message("in", eventbus.UserMessage(ada, ""))
	require.Error(t, err)
	e := eventbus.UserMessage(ada, "x")
	e.ID = ""
	_, err = jetstream.Message("in", e)
	require.ErrorContains(t, err, "ID is empty")
}

// A panic in the host's Accept refuses the message.
func TestAcceptPanics(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	_, js := newNest(t)
	j := newJournal(t)
	newInbox(t, j, js, jetstream.InboxOptions{
		Host:      true,
		Accept:    func(string, eventbus.Event) error { panic("a fault of the host's") },
		ErrorHook: func(error) { panic("another") },
	})
	send(t, js, eventbus.UserMessage(ada, "x"))
	settled(t, js)
	assert.Empty(t, bustest.Journal(t, j))
	assert.Len(t, kept(t, js, "DEAD"), 1)
}

// client sends a message as a program in another language does.
func client(t testing.TB, js broker.JetStream, text string) {
	t.Helper()
	_, err := js.Publish(t.Context(), "in.x", fmt.Appendf(nil, `{"topic":"user.message","scope":{"user":"ada"},"payload":{"text":%q}}`, text))
	require.NoError(t, err)
}
