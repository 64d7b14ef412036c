package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// OutboxOptions configure an [Outbox].
type OutboxOptions struct {
	// Name is the consumer's name in the journal; the position is stored under it.
	// Several processes on one memory use the same name: one of them publishes at a
	// time. Default "jetstream".
	Name string
	// Prefix is the first part of the subjects: a report goes to Prefix + "." + its
	// topic. A stream must exist that stores these subjects. Default "ebb".
	Prefix string
	// Topics are the topics to publish, as in [eventbus.Topics]. Reports contain
	// public ids, except that memory.recalled also contains what was searched for.
	// Default "memory.*".
	Topics []string
	// FromStart makes a new outbox begin with the first event of the journal.
	FromStart bool
	// Backoff is the wait after a failed attempt, from 1. Default 100 ms, doubled each
	// time, at most 10 s.
	Backoff func(attempt int) time.Duration
	// ErrorHook is called for every failed attempt. It must be fast and safe for
	// concurrent use. Default none.
	ErrorHook func(error)
}

// Outbox publishes the events of a bus to a stream.
type Outbox struct {
	stream  broker.Publisher
	prefix  string
	backoff func(attempt int) time.Duration
	hook    reporter
	sub     eventbus.Subscription
}

const (
	// publishTimeout is how long an attempt waits for the stream's acknowledgement.
	publishTimeout = 5 * time.Second
	// outboxGrace is how long Close waits for an event that is being published.
	outboxGrace = time.Second
)

// NewOutbox starts publishing. Events wait in the journal while the stream does not
// accept them. An event that is larger than the broker or the stream allows is parked
// ([eventbus.Journal.Parked]), and those after it are published.
//
// Errors: those of [eventbus.Subscriber].
func NewOutbox(ctx context.Context, bus eventbus.Subscriber, stream broker.Publisher, opts OutboxOptions) (*Outbox, error) {
	o := &Outbox{stream: stream, prefix: cmp.Or(opts.Prefix, "ebb"), backoff: guarded(opts.Backoff, opts.ErrorHook), hook: opts.ErrorHook}
	if err := validSubject("Prefix", o.prefix); err != nil {
		return nil, err
	}
	topics := opts.Topics
	if len(topics) == 0 {
		topics = []string{"memory.*"}
	}
	options := []eventbus.SubscribeOption{eventbus.Topics(topics...)}
	if opts.FromStart {
		options = append(options, eventbus.FromStart())
	}
	var err error
	o.sub, err = bus.Subscribe(ctx, cmp.Or(opts.Name, "jetstream"), o.forward, options...)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// forward publishes one event. It does not return before the stream has accepted it:
// the bus would deliver the next event meanwhile.
func (o *Outbox) forward(ctx context.Context, e eventbus.Event) error {
	msg, err := Message(o.prefix, e)
	if err != nil {
		return eventbus.Permanent(err)
	}
	for attempt := 1; ; attempt++ {
		err := publish(ctx, o.stream, msg)
		if err == nil {
			return nil
		}
		if tooLarge(err) {
			o.hook.report(fmt.Errorf("event %d to %s: %w", e.Seq, msg.Subject, err))
			return eventbus.Permanent(err)
		}
		if ctx.Err() != nil {
			return ctx.Err() // the attempt does not count
		}
		o.hook.report(fmt.Errorf("event %d to %s, attempt %d: %w", e.Seq, msg.Subject, attempt, err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(o.backoff(attempt)):
		}
	}
}

func publish(ctx context.Context, stream broker.Publisher, msg *nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	_, err := stream.PublishMsg(ctx, msg)
	return err
}

// tooLarge reports whether the broker refuses a message for its size.
func tooLarge(err error) bool {
	const headersExceedMaximum = 10097 // of 64 KiB
	refused, ok := errors.AsType[*broker.APIError](err)
	return errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, broker.ErrStreamMessageExceedsMaximum) ||
		ok && refused.ErrorCode == headersExceedMaximum
}

// Close stops publishing; the position is kept. It waits a second for the event that
// is being published. Close the outbox before the bus, which waits longer.
func (o *Outbox) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, outboxGrace)
	defer cancel()
	return o.sub.Close(ctx)
}

var plainSubject = regexp.MustCompile(`^[^\x00- *>.\x7f]+(\.[^\x00- *>.\x7f]+)*$`)

// validSubject accepts a subject without wildcards.
func validSubject(field, subject string) error {
	if !plainSubject.MatchString(subject) {
		return &schema.InvalidError{Field: field, Reason: `is not a subject such as "ebb.dead": words without spaces and wildcards, joined by dots`}
	}
	return nil
}
