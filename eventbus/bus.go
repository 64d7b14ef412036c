package eventbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// ErrStopped means the bus was closed.
var ErrStopped = errors.New("the event bus is stopped")

// Handler is called with one event at a time. A nil error means the event is
// done for this consumer. Any other error, or a panic, has it delivered again
// later, unless it is wrapped by [Permanent] or [Snooze].
//
// Delivery is at least once: after a crash a handler sees some events again
// and must be idempotent; Seq, or ID within its scope, is the key to be so by.
// The context ends when the bus can no longer wait or the consumer was taken
// over by another process.
type Handler func(ctx context.Context, e Event) error

// BatchHandler is called with several events, in the order of the journal. A nil
// error means that all of them are done; see [Together].
type BatchHandler func(ctx context.Context, events []Event) error

// Publisher takes events in.
type Publisher interface {
	// Publish stores the events in one transaction and returns when they are
	// durable: all of them or, with an error, none. An event whose id the user
	// already has, or had until it was erased, is skipped. Without events it does nothing.
	//
	// Errors: [*schema.InvalidError], [ErrStopped], those of schema.DB.Write,
	// or the context's error.
	Publish(ctx context.Context, events ...Event) error
}

// Subscriber gives events out.
type Subscriber interface {
	// Subscribe starts delivery to the named consumer, in the background, in
	// the order of the journal, one event at a time. A name seen for the first
	// time begins with the next event to be published (see [FromStart]); one
	// known from before, in this or an earlier process, goes on where it was.
	// Of several processes subscribing with one name, one delivers at a time.
	// The context is for the call, not for the subscription.
	//
	// Errors: [*schema.InvalidError], [ErrStopped], those of schema.DB.Write.
	Subscribe(ctx context.Context, name string, h Handler, opts ...SubscribeOption) (Subscription, error)
}

// Subscription is a consumer that is being served.
type Subscription interface {
	// Name is the consumer's name.
	Name() string
	// Close ends delivery. It waits for a running handler until ctx ends, or
	// for 5 s when ctx has no deadline, then cancels the handler's context and
	// returns the error of the wait. The consumer's position is kept. Called
	// with a handler's own context it does not wait for that handler.
	Close(ctx context.Context) error
}

// Bus is both sides.
type Bus interface {
	Publisher
	Subscriber
	// Close refuses new events, ends every subscription as its Close does, and
	// returns. Calling it again waits again, for what is still running.
	Close(ctx context.Context) error
}

// SubscribeOption refines a subscription.
type SubscribeOption func(*subscribeOptions)

type subscribeOptions struct {
	topics      []string
	fromStart   bool
	maxAttempts int
	backoff     func(attempt int) time.Duration
	together    BatchHandler // nil: one by one
	gather      time.Duration
	inTurn      bool
}

// wants reports whether the consumer is for a topic.
func (o *subscribeOptions) wants(topic string) bool {
	return slices.ContainsFunc(o.topics, func(pattern string) bool { return match(pattern, topic) })
}

// Topics restricts a consumer to some topics: "user.message", every topic
// below a prefix as "memory.*", or "*". Default every topic.
func Topics(patterns ...string) SubscribeOption {
	return func(o *subscribeOptions) { o.topics = append(o.topics, patterns...) }
}

// FromStart has a consumer that is new begin with the journal's first event.
func FromStart() SubscribeOption { return func(o *subscribeOptions) { o.fromStart = true } }

// MaxAttempts is how often an event is tried before it is parked: kept,
// visible in [Journal.Parked], and not tried again until somebody asks for it.
// Default 5; at least 1.
func MaxAttempts(n int) SubscribeOption { return func(o *subscribeOptions) { o.maxAttempts = n } }

// Backoff is the wait after the given number of failed attempts, from 1.
// Default 1 s, doubled each time, at most 5 min; that is also what holds when
// the function panics.
func Backoff(wait func(attempt int) time.Duration) SubscribeOption {
	return func(o *subscribeOptions) { o.backoff = wait }
}

// Together has a consumer whose work is cheaper for many events at once given
// what is new of them together, at most 64, in place of one by one. wait is how
// long it lets them gather after the first, and longer while a [Journal.Load]
// goes on; [Journal.WaitIdle] waits for neither. When h fails, each of these
// events goes to the consumer's [Handler] by itself, so that one of them holds up
// no other; some may be done already. Default: events come one by one, and at once.
func Together(h BatchHandler, wait time.Duration) SubscribeOption {
	return func(o *subscribeOptions) { o.together, o.gather = h, wait }
}

// InTurn has a consumer whose work is short and in no hurry take turns with what
// is done behind other databases; see schema.Turns. While it waits for something
// itself, the others wait with it, a second each at most. Default: it waits for
// nobody.
func InTurn() SubscribeOption { return func(o *subscribeOptions) { o.inTurn = true } }

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
		return o, &schema.InvalidError{Field: "Together", Reason: "waits for less than nothing; give it 0 or more"}
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

// Permanent marks an error that trying again cannot mend: the event is parked
// at once. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type snoozeError struct{ wait time.Duration }

func (e *snoozeError) Error() string { return fmt.Sprintf("snoozed for %s", e.wait) }

// Snooze asks to be given the event again after d (at least 10 ms), without
// counting this as a failed attempt. It is for work that cannot start yet.
func Snooze(d time.Duration) error { return &snoozeError{max(d, 10*time.Millisecond)} }
