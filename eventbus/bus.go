package eventbus

import (
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Handler handles one event at a time. Returning nil marks the event as done for
// this consumer. After an error or a panic the event is retried with [Backoff], and
// parked after [MaxAttempts]; see also [Permanent].
//
// Delivery is at least once: after a crash some events are delivered again, so a
// handler must be idempotent. Seq identifies an event, and so does ID within its
// scope. The context is cancelled when Close stops waiting for the handler, or when
// another process has taken over the consumer.
type Handler func(ctx context.Context, e Event) error

// BatchHandler handles several events, in journal order. Returning nil marks all of
// them as done; see [InBatches].
type BatchHandler func(ctx context.Context, events []Event) error

// Publisher accepts events.
type Publisher interface {
	// Publish stores the events in one transaction and returns when they are
	// durable. On error none is stored. An event is skipped if the user already has
	// one with the same id, or had one that was erased. Publishing no events does
	// nothing.
	//
	// Errors: [*schema.InvalidError], [schema.ErrClosed], those of schema.DB.Write, or
	// the context's error.
	Publish(ctx context.Context, events ...Event) error
}

// Subscriber delivers events.
type Subscriber interface {
	// Subscribe starts delivery to the named consumer in the background, in journal
	// order, one event at a time. A new consumer starts with the next event to be
	// published (see [FromStart]); a known one resumes at its stored position. If
	// several processes subscribe under one name, one of them delivers at a time.
	// ctx applies to the call, not to the subscription.
	//
	// Errors: [*schema.InvalidError], [schema.ErrClosed], those of schema.DB.Write.
	Subscribe(ctx context.Context, name string, h Handler, opts ...SubscribeOption) (Subscription, error)
}

// Subscription is a running consumer.
type Subscription interface {
	// Name returns the consumer's name.
	Name() string
	// Close ends delivery. It waits for a running handler until ctx is done, or for
	// 5 s if ctx has no deadline. Then it cancels the handler's context, and returns
	// an error if the handler does not return within 250 ms. The consumer's position
	// is kept. Called with the handler's own context, Close does not wait.
	Close(ctx context.Context) error
}

// Bus accepts and delivers events.
type Bus interface {
	Publisher
	Subscriber
	// Close rejects new events and closes every subscription, with the same waits as
	// [Subscription.Close]. A second call waits again for handlers still running.
	Close(ctx context.Context) error
}

// Durable is a Bus that keeps its events and the position of each consumer, as
// [Journal] and the bus of a memory do.
type Durable interface {
	Bus
	// Stats returns the state of each consumer.
	Stats(ctx context.Context) ([]ConsumerStats, error)
	// Parked lists the events that failed too often; see [MaxAttempts].
	Parked(ctx context.Context, consumer string) ([]ParkedEvent, error)
	// Retry delivers a parked event again.
	Retry(ctx context.Context, consumer string, seq int64) error
	// Replay sets a consumer back to an event.
	Replay(ctx context.Context, consumer string, fromSeq int64) error
	// WaitIdle waits until consumers have handled what is published.
	WaitIdle(ctx context.Context, consumers ...string) error
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

// Topics limits a consumer to topics such as "user.message", to a prefix such as
// "memory.*", or "*" for all. Default all topics.
func Topics(patterns ...string) SubscribeOption {
	return func(o *subscribeOptions) { o.topics = append(o.topics, patterns...) }
}

// FromStart makes a new consumer begin with the first event of the journal.
func FromStart() SubscribeOption { return func(o *subscribeOptions) { o.fromStart = true } }

// MaxAttempts sets the number of delivery attempts before an event is parked. A
// parked event is kept, listed by [Durable].Parked, and not delivered again until
// [Durable].Retry. Default 5; at least 1.
func MaxAttempts(n int) SubscribeOption { return func(o *subscribeOptions) { o.maxAttempts = n } }

// Backoff sets the delay before a retry. attempt is the number of failed attempts,
// from 1. Default 1 s, doubled each time, at most 5 min. The default also applies if
// wait panics.
func Backoff(wait func(attempt int) time.Duration) SubscribeOption {
	return func(o *subscribeOptions) { o.backoff = wait }
}

// InBatches delivers new events to h in batches of at most 64, for a consumer that
// handles many events more cheaply together. Events are collected for wait after the
// first one, and for as long as a [Journal.Load] is running; [Journal.WaitIdle] ends
// the collection.
//
// If h fails, each event of the batch is delivered to the consumer's [Handler]
// separately, so that one bad event does not block the others; h may already have
// handled some of them. h's context is cancelled one second after the consumer is
// stopped, and the batch is delivered again later. Default: one event at a time,
// without delay.
func InBatches(h BatchHandler, wait time.Duration) SubscribeOption {
	return func(o *subscribeOptions) { o.batch, o.gather = h, wait }
}

// Limited runs the consumer's handler within [schema.Limiter]. It suits work that is
// short and not urgent: while the handler blocks, it delays the background work of
// other databases, by at most one second each. Default: no limit.
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
