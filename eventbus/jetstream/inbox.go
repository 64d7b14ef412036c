package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// InboxOptions configure an [Inbox]. Stream, DeadLetter and Accept are required.
type InboxOptions struct {
	// Stream is the name of the stream to read.
	Stream string
	// Subjects limit what is read of the stream; they may contain wildcards. Default
	// everything.
	Subjects []string
	// Durable is the name of the stream's consumer, under which the broker keeps the
	// position. All programs on one memory use the same name. Default "ebb".
	Durable string

	// Host means that the stream carries messages of the host's own programs: a
	// user.message holds the user's own words, and events may set origin, trust, time,
	// speaker and labels, and use topics of the host's own. Otherwise they are what a
	// client's model writes: trust level 1, with their time taken from the stream and
	// ids in a namespace of their own, and an event that sets any of these is refused.
	Host bool
	// Accept decides whether an event may be stored, usually by its user and the
	// subject, on which the broker's permissions rest. The event is refused with the
	// returned error, which becomes the reason in the dead letter. See [AnyUser] and
	// [OnlyUser].
	Accept func(subject string, e eventbus.Event) error

	// DeadLetter is the subject for messages that cannot be stored. A stream must
	// store it, and Subjects must not contain it.
	DeadLetter string

	// InFlight is how many messages are stored at a time. More than 1 is faster but
	// gives up the order. Default 1.
	InFlight int
	// AckWait is how long the broker waits before it delivers a message again, for
	// example after a crash. Default 30 s.
	AckWait time.Duration
	// Backoff is the wait after a failed attempt, from 1. Default 100 ms, doubled each
	// time, at most 10 s.
	Backoff func(attempt int) time.Duration
	// ErrorHook is called for every failed attempt and every dead letter. It must be
	// fast and safe for concurrent use. Default none.
	ErrorHook func(error)
}

// AnyUser accepts every event: for a stream that only the host's own programs write.
func AnyUser(string, eventbus.Event) error { return nil }

// OnlyUser accepts the events of one user.
func OnlyUser(tenant, user string) func(subject string, e eventbus.Event) error {
	return func(_ string, e eventbus.Event) error {
		if e.Scope.Tenant != tenant || e.Scope.User != user {
			return &schema.InvalidError{Field: "Scope.User", Reason: "is not the user of this stream"}
		}
		return nil
	}
}

// Headers of a dead letter, in addition to those of the message other than Nats-*.
const (
	HeaderReason   = "Ebb-Reason"   // why it was not stored
	HeaderStream   = "Ebb-Stream"   // the stream it comes from
	HeaderSubject  = "Ebb-Subject"  // its subject there
	HeaderSequence = "Ebb-Sequence" // its sequence number there
	// HeaderOmitted is set if the dead letter has no body, because the body and the
	// headers together are larger than the broker allows. If the headers alone are, it
	// has only those of this list.
	HeaderOmitted = "Ebb-Body-Omitted"
)

// Inbox stores the messages of a stream.
type Inbox struct {
	bus    eventbus.Publisher
	stream broker.JetStream
	opts   InboxOptions
	hook   reporter

	ctx    context.Context // cancelled when Close stops waiting
	cancel context.CancelFunc
	open   context.Context // cancelled when Close is called
	stop   context.CancelFunc
	done   chan struct{}
}

const (
	// maxRedactions is how often an event is tried that the host's redaction refuses.
	maxRedactions = 10
	// inboxGrace is how long Close waits if its context has no deadline.
	inboxGrace = 5 * time.Second
	// reasonBytes bounds the reason in a dead letter.
	reasonBytes = 500
)

// NewInbox starts storing the messages of a stream. It creates or updates the stream's
// durable consumer, as soon as the broker can be reached.
//
// Errors: [*schema.InvalidError].
func NewInbox(bus eventbus.Publisher, stream broker.JetStream, opts InboxOptions) (*Inbox, error) {
	opts.Durable, opts.InFlight = cmp.Or(opts.Durable, "ebb"), cmp.Or(opts.InFlight, 1)
	opts.AckWait = cmp.Or(opts.AckWait, 30*time.Second)
	opts.Backoff = guarded(opts.Backoff, opts.ErrorHook)
	switch {
	case opts.Stream == "":
		return nil, &schema.InvalidError{Field: "Stream", Reason: "is empty; it names the stream to read"}
	case opts.Accept == nil:
		return nil, &schema.InvalidError{Field: "Accept", Reason: "is nil; use AnyUser if every writer of the stream may speak for every user"}
	case opts.InFlight < 0 || opts.AckWait < 0:
		return nil, &schema.InvalidError{Field: "InFlight or AckWait", Reason: "is negative"}
	}
	if err := validSubject("DeadLetter", opts.DeadLetter); err != nil {
		return nil, err
	}
	i := &Inbox{bus: bus, stream: stream, opts: opts, hook: opts.ErrorHook, done: make(chan struct{})}
	i.ctx, i.cancel = context.WithCancel(context.Background())
	i.open, i.stop = context.WithCancel(i.ctx)
	go i.run()
	return i, nil
}

// Close stops reading and waits for the messages that are being stored, until ctx is
// done or for 5 s if it has no deadline. What is not stored by then is delivered again.
func (i *Inbox) Close(ctx context.Context) error {
	i.stop()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, inboxGrace)
		defer cancel()
	}
	defer i.cancel()
	select {
	case <-i.done:
		return nil
	case <-ctx.Done():
	}
	i.cancel()
	select {
	case <-i.done:
		return nil
	case <-time.After(250 * time.Millisecond):
		return fmt.Errorf("inbox %s: a message is still being stored: %w", i.opts.Durable, context.Cause(ctx))
	}
}

// run reads until the inbox is closed.
func (i *Inbox) run() {
	defer close(i.done)
	for attempt := 1; ; attempt++ {
		began := time.Now()
		err := i.read()
		if time.Since(began) > i.opts.AckWait {
			attempt = 1
		}
		if i.open.Err() != nil {
			return
		}
		i.hook.report(fmt.Errorf("inbox %s of stream %s: %w", i.opts.Durable, i.opts.Stream, err))
		if i.pause(i.opts.Backoff(attempt)) != nil {
			return
		}
	}
}

// pause waits, and returns an error once the inbox is closed.
func (i *Inbox) pause(wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-i.open.Done():
	case <-timer.C:
	}
	return i.open.Err()
}

// read stores messages until the consumer fails or the inbox is closed.
func (i *Inbox) read() error {
	ctx, cancel := context.WithTimeout(i.open, publishTimeout)
	defer cancel()
	consumer, err := i.stream.CreateOrUpdateConsumer(ctx, i.opts.Stream, broker.ConsumerConfig{
		Durable: i.opts.Durable, FilterSubjects: i.opts.Subjects, AckPolicy: broker.AckExplicitPolicy,
		AckWait: i.opts.AckWait, MaxAckPending: i.opts.InFlight, MaxDeliver: -1,
	})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	next, cancel := context.WithCancel(i.ctx)
	defer cancel()
	defer context.AfterFunc(i.open, func() {
		if i.stream.Conn().IsConnected() {
			messages.Drain() // Next returns what is in the buffer, then an error
		} else {
			cancel() // Drain would wait for the broker
		}
	})()
	errs := make([]error, i.opts.InFlight)
	var workers sync.WaitGroup
	for n := range errs {
		workers.Go(func() { errs[n] = i.work(next, messages) })
	}
	workers.Wait()
	return errors.Join(errs...)
}

// work stores one message after the other.
func (i *Inbox) work(ctx context.Context, messages broker.MessagesContext) error {
	for {
		msg, err := messages.Next(broker.NextContext(ctx))
		if errors.Is(err, broker.ErrNoHeartbeat) {
			if i.hook.report(err); !i.stream.Conn().IsConnected() {
				continue // the subscription goes on when the broker is back
			}
			messages.Stop() // the consumer may be gone
		}
		if err != nil {
			return err
		}
		i.handle(msg)
	}
}

// handle stores a message or makes it a dead letter, and acknowledges it. It does not
// return before one of them has succeeded, unless the inbox is closed: the broker would
// deliver the next message meanwhile.
func (i *Inbox) handle(msg broker.Msg) {
	for attempt := 1; ; attempt++ {
		refusal, err := i.store(msg, attempt)
		if refusal != nil {
			i.hook.report(fmt.Errorf("message on %s refused: %w", msg.Subject(), refusal))
			if err = i.bury(msg, refusal); err == nil {
				i.hook.report(msg.Term())
				return
			}
		}
		if err == nil {
			i.hook.report(msg.Ack()) // a message that was not acknowledged comes again and is a duplicate
			return
		}
		i.hook.report(fmt.Errorf("message on %s, attempt %d: %w", msg.Subject(), attempt, err))
		if errors.Is(err, schema.ErrClosed) {
			i.stop() // the memory was closed first
		}
		_ = msg.InProgress() // it is delivered again if this is lost
		if i.pause(min(i.opts.Backoff(attempt), i.opts.AckWait/2)) != nil {
			_ = msg.Nak()
			return
		}
	}
}

// store publishes the event of a message. refusal is an error of the message itself;
// err is any other.
func (i *Inbox) store(msg broker.Msg, attempt int) (refusal, err error) {
	e, err := i.event(msg)
	if err != nil {
		return err, nil
	}
	err = i.bus.Publish(i.ctx, e)
	if invalid, ok := errors.AsType[*schema.InvalidError](err); ok {
		return invalid, nil
	}
	// The host's redaction may fail for one text, or for a while.
	if failed, ok := errors.AsType[*schema.RedactionError](err); ok && failed.Cut == nil && attempt >= maxRedactions {
		return failed, nil
	}
	return nil, err
}

// event decodes and checks the event of a message.
func (i *Inbox) event(msg broker.Msg) (e eventbus.Event, err error) {
	meta, err := msg.Metadata()
	if err != nil {
		return e, err
	}
	if err := strictjson.Decode(msg.Data(), &e); err != nil {
		return e, &schema.InvalidError{Field: "message", Reason: "is not an event: it " + strictjson.Fault(err)}
	}
	e.Seq, e.RecordedAt = 0, time.Time{}
	if e.ID == "" {
		// The time distinguishes streams that were deleted and made again.
		e.ID = cmp.Or(msg.Headers().Get(broker.MsgIDHeader),
			fmt.Sprintf("jetstream:%s:%d:%d", meta.Stream, meta.Sequence.Stream, meta.Timestamp.UnixNano()))
	}
	if err := i.accept(msg.Subject(), e); err != nil {
		return e, err
	}
	if i.opts.Host {
		e.Origin = cmp.Or(e.Origin, defaultOrigin(e.Topic))
	} else if e, err = fromClient(e); err != nil {
		return e, err
	}
	if e.OccurredAt.IsZero() {
		e.OccurredAt = meta.Timestamp
	}
	return e, nil
}

func (i *Inbox) accept(subject string, e eventbus.Event) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = schema.ForeignPanic("Accept", r)
		}
	}()
	return i.opts.Accept(subject, e)
}

func defaultOrigin(topic string) eventbus.Origin {
	switch topic {
	case eventbus.TopicUserMessage:
		return eventbus.OriginUser
	case eventbus.TopicAgentResponse:
		return eventbus.OriginAssistant
	case eventbus.TopicToolResult:
		return eventbus.OriginToolExternal
	}
	return ""
}

// clientIDs is the namespace of ids that clients choose, so that they cannot take those
// of the host's messages.
const clientIDs = "client:"

// roles are those of a message by its topic.
var roles = map[string]string{eventbus.TopicUserMessage: "user", eventbus.TopicAgentResponse: "assistant", eventbus.TopicToolResult: "tool"}

// fromClient returns the event as what a client's model wrote.
func fromClient(e eventbus.Event) (eventbus.Event, error) {
	m, err := e.Message()
	if err != nil {
		return e, err
	}
	if err := strictjson.Decode(e.Payload, new(eventbus.Message)); err != nil { // an unknown field would be lost
		return e, &schema.InvalidError{Field: "Payload", Reason: "is not a message: it " + strictjson.Fault(err)}
	}
	if m.Role != roles[e.Topic] {
		return e, &schema.InvalidError{Field: "role", Reason: "is not that of the topic " + e.Topic}
	}
	if !e.OccurredAt.IsZero() || e.Origin != "" || e.Trust != nil || m.Speaker != "" || len(m.Attributes)+len(m.Tags) > 0 || m.Importance != 0 {
		return e, &schema.InvalidError{Field: "message", Reason: "sets occurred_at, origin, trust, speaker, attributes, tags or importance; only a stream of the host's may"}
	}
	untrusted := eventbus.OriginToolExternal.Ceiling()
	opts := []eventbus.MessageOption{eventbus.WithID(clientIDs + e.ID), eventbus.From(eventbus.OriginAssistant), eventbus.Trusted(untrusted)}
	if m.Partial {
		opts = append(opts, eventbus.Partial())
	}
	switch e.Topic {
	case eventbus.TopicUserMessage:
		return eventbus.UserMessage(e.Scope, m.Text, opts...), nil
	case eventbus.TopicAgentResponse:
		return eventbus.AgentResponse(e.Scope, m.Text, opts...), nil
	}
	return eventbus.ToolResult(e.Scope, m.Tool, m.Text, append(opts, eventbus.From(eventbus.OriginToolExternal))...), nil
}

// bury publishes a message to the dead-letter subject, with the same Nats-Msg-Id each
// time. A dead letter in the inbox's own stream gets none, nor does a message whose
// smallest dead letter is too large.
func (i *Inbox) bury(msg broker.Msg, refusal error) error {
	if msg.Subject() == i.opts.DeadLetter {
		return nil
	}
	own := nats.Header{HeaderSubject: {msg.Subject()}, HeaderStream: {i.opts.Stream}}
	reason := []rune(text.Line(refusal.Error()))
	own.Set(HeaderReason, string(reason[:min(len(reason), reasonBytes)]))
	if meta, err := msg.Metadata(); err == nil {
		sequence := strconv.FormatUint(meta.Sequence.Stream, 10)
		own.Set(HeaderSequence, sequence)
		own.Set(broker.MsgIDHeader, "dead-"+i.opts.Stream+"-"+sequence+"-"+strconv.FormatInt(meta.Timestamp.UnixNano(), 10))
	}
	letter := &nats.Msg{Subject: i.opts.DeadLetter, Data: msg.Data(), Header: nats.Header{}}
	for name, values := range msg.Headers() {
		if !strings.HasPrefix(name, "Nats-") { // instructions to the stream, such as a rollup
			letter.Header[name] = values
		}
	}
	maps.Copy(letter.Header, own)
	err := publish(i.ctx, i.stream, letter)
	if tooLarge(err) {
		letter.Data = nil
		letter.Header.Set(HeaderOmitted, "true")
		err = publish(i.ctx, i.stream, letter)
	}
	if tooLarge(err) {
		own.Set(HeaderOmitted, "true")
		letter.Header = own
		err = publish(i.ctx, i.stream, letter)
	}
	if tooLarge(err) {
		i.hook.report(fmt.Errorf("message on %s has no dead letter: %w", msg.Subject(), err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("dead letter to %s: %w", i.opts.DeadLetter, err)
	}
	return nil
}
