package eventbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// ErrStopped means that the bus was closed.
var ErrStopped = errors.New("the event bus is stopped")

// Handler is called with one event at a time. A nil error means that this consumer
// is done with the event. After any other error, or a panic, the event is delivered
// again later, unless the error is wrapped by [Permanent] or [Snooze].
//
// Delivery is at least once: after a crash a handler gets some events again and
// must be idempotent, with Seq, or ID within its scope, as the key. The context
// ends when the bus can no longer wait or another process has taken over the
// consumer.
type Handler func(ctx context.Context, e Event) error

// BatchHandler is called with several events, in the order of the journal. A nil
// error means that all of them are done; see [InBatches].
type BatchHandler func(ctx context.Context, events []Event) error

// Publisher accepts events.
type Publisher interface {
	// Publish stores the events in one transaction and returns when they are
	// durable: all of them or, with an error, none. An event with an id that the
	// user already has, or had until it was erased, is skipped. Without events it
	// does nothing.
	//
	// Errors: [*schema.InvalidError], [ErrStopped], those of schema.DB.Write, or
	// the context's error.
	Publish(ctx context.Context, events ...Event) error
}

// Subscriber delivers events.
type Subscriber interface {
	// Subscribe starts delivery to the named consumer, in the background, in the
	// order of the journal, one event at a time. A new name begins with the next
	// event to be published (see [FromStart]); a known one, of this or an earlier
	// process, continues at its position. If several processes subscribe under one
	// name, one of them delivers at a time. The context is for the call, not for
	// the subscription.
	//
	// Errors: [*schema.InvalidError], [ErrStopped], those of schema.DB.Write.
	Subscribe(ctx context.Context, name string, h Handler, opts ...SubscribeOption) (Subscription, error)
}

// Subscription is a running consumer.
type Subscription interface {
	// Name returns the consumer's name.
	Name() string
	// Close ends delivery. It waits for a running handler until ctx ends, or for 5
	// s when ctx has no deadline, then cancels the handler's context and returns
	// the error of the wait. The consumer's position is kept. When called with a
	// handler's own context it does not wait for that handler.
	Close(ctx context.Context) error
}

// Bus accepts and delivers events.
type Bus interface {
	Publisher
	Subscriber
	// Close refuses new events, ends every subscription as its Close does, and
	// returns. A second call waits again for what is still running.
	Close(ctx context.Context) error
}

// SubscribeOption configures a subscription.
type SubscribeOption func(*subscribeOptions)

type subscribeOptions struct {
	topics      []string
	fromStart   bool
	maxAttempts int
	backoff     func(attempt int) time.Duration
	batch       BatchHandler // nil: one event at a time
	gather      time.Duration
	limited     bool
}

// wants reports whether the consumer subscribes to a topic.
func (o *subscribeOptions) wants(topic string) bool {
	return slices.ContainsFunc(o.topics, func(pattern string) bool { return match(pattern, topic) })
}

// Topics limits a consumer to topics: "user.message", every topic with a prefix as
// in "memory.*", or "*". Default every topic.
func Topics(patterns ...string) SubscribeOption {
	return func(o *subscribeOptions) { o.topics = append(o.topics, patterns...) }
}

// FromStart makes a new consumer begin with the first event of the journal.
func FromStart() SubscribeOption { return func(o *subscribeOptions) { o.fromStart = true } }

// MaxAttempts is how often an event is tried before it is parked: kept, listed by
// [Journal.Parked], and not delivered again until [Journal.Retry]. Default 5; at
// least 1.
func MaxAttempts(n int) SubscribeOption { return func(o *subscribeOptions) { o.maxAttempts = n } }

// Backoff sets the wait after the given number of failed attempts, from 1. Default
// 1 s, doubled each time, at most 5 min; the default also applies when the function
// panics.
func Backoff(wait func(attempt int) time.Duration) SubscribeOption {
	return func(o *subscribeOptions) { o.backoff = wait }
}

// InBatches delivers new events in batches of at most 64 to h, for a consumer that
// handles many at once more cheaply. wait is how long events are collected after
// the first one; collection goes on while a [Journal.Load] is running, and
// [Journal.WaitIdle] ends it. When h fails, each event of the batch is delivered to
// the consumer's [Handler] separately, so that one of them does not block the
// others; some may be done already. A second after the consumer is stopped h's
// context is cancelled, and the events are delivered again later. Default: events
// are delivered one by one, without delay.
func InBatches(h BatchHandler, wait time.Duration) SubscribeOption {
	return func(o *subscribeOptions) { o.batch, o.gather = h, wait }
}

// Limited makes the consumer's work count against [schema.Limiter], for work that
// is short and not urgent. While its handler waits, it delays the background work
// of other databases, by at most a second each. Default: no limit.
func Limited() SubscribeOption { return func(o *subscribeOptions) { o.limited = true } }

func defaultBackoff(attempt int) time.Duration {
	const first, most = time.Second, 5 * time.Minute
	if attempt > 9 { // 2^8 s is under 5 min, 2^9 s above
		return most
	}
	return min(first<<(max(attempt, 1)-1), most)
}

func newSubscribeOptions(name string, h Handler, opts []SubscribeOption) (subscribeOptions, error) {
	o := subscribeOptions{maxAttempts: 5, backoff: defaultBackoff}
	for _, set := range opts {
		set(&o)
	}
	if name == "" {
		return o, &schema.InvalidError{Field: "name", Reason: "is empty; the consumer's position is kept under its name"}
	}
	if err := schema.ValidLabel("name", name); err != nil {
		return o, err
	}
	if h == nil {
		return o, &schema.InvalidError{Field: "handler", Reason: "is nil"}
	}
	if o.maxAttempts < 1 {
		return o, &schema.InvalidError{Field: "MaxAttempts", Reason: "must be at least 1"}
	}
	if o.backoff == nil {
		return o, &schema.InvalidError{Field: "Backoff", Reason: "is nil"}
	}
	if o.gather < 0 {
		return o, &schema.InvalidError{Field: "InBatches", Reason: "has a negative wait; give it 0 or more"}
	}
	for _, p := range o.topics {
		if err := validPattern(p); err != nil {
			return o, err
		}
	}
	if len(o.topics) == 0 {
		o.topics = []string{"*"}
	}
	return o, nil
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// Permanent marks an error that a retry cannot fix: the event is parked at once.
// Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type snoozeError struct{ wait time.Duration }

func (e *snoozeError) Error() string { return fmt.Sprintf("snoozed for %s", e.wait) }

// Snooze is the error of a handler that wants the event again after d (at least 10
// ms), without counting a failed attempt. It is for work that cannot start yet.
func Snooze(d time.Duration) error { return &snoozeError{max(d, 10*time.Millisecond)} }
