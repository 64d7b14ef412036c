package eventbus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ebbmem/ebb/schema"
)

const (
	// errorPause is how long a consumer waits after a database error.
	errorPause = time.Second
	// leaseTTL is how soon another process takes over from one that died.
	leaseTTL = time.Second
	// flushEvery is how often progress is stored. It bounds the number of events
	// that are delivered again after a crash.
	flushEvery = 250 * time.Millisecond
	// cancelGrace is how long Close waits for a cancelled handler to return.
	cancelGrace = 250 * time.Millisecond
	// batchGrace is how long a batch handler may run on after its consumer is
	// stopped.
	batchGrace = time.Second
	// skipLimit is how many events of other topics a consumer skips before it
	// stores its position, when it has nothing else to store.
	skipLimit = 512
)

// consumer runs one subscription in one goroutine.
type consumer struct {
	j       *Journal
	name    string
	h       Handler
	opts    subscribeOptions
	started bool   // guarded by j.mu
	fault   string // error of the last pass, or ""; guarded by j.mu

	wakeup   chan struct{}
	hurry    chan struct{} // makes gather return
	stop     chan struct{}
	stopOnce sync.Once
	done     chan struct{}
	ctx      context.Context // of the handler
	cancel   context.CancelFunc

	// The fields below are used only by run's goroutine.
	lease     *schema.Lease
	cursor    int64 // the stored cursor, as last read
	pos       int64 // at or after cursor: everything up to here is done or of another topic
	unflushed *progress
	full      bool // the last pass stopped at its limit
}

func newConsumer(j *Journal, name string, h Handler, o subscribeOptions) *consumer {
	c := &consumer{
		j: j, name: name, h: h, opts: o,
		wakeup: make(chan struct{}, 1), hurry: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}), cursor: -1,
	}
	c.ctx, c.cancel = context.WithCancel(context.WithValue(context.Background(), consumerKey{}, c))
	return c
}

func (c *consumer) signalWake() { signal(c.wakeup) }

func (c *consumer) signalHurry() { signal(c.hurry) }

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

func (c *consumer) signalStop() { c.stopOnce.Do(func() { close(c.stop) }) }

func (c *consumer) stopping() bool {
	select {
	case <-c.stop:
		return true
	default:
		return false
	}
}

// run delivers events until the consumer is stopped or the database is closed.
func (c *consumer) run() {
	defer close(c.done)
	defer c.j.remove(c)
	defer c.cancel()
	defer c.shutdown()
	quiet := false
	for !c.stopping() {
		if c.j.loading(c.opts.gather) {
			c.gather()
		}
		wait, err := c.limitedPass(quiet)
		c.note(err)
		wakeup := c.wakeup
		switch {
		case errors.Is(err, schema.ErrClosed):
			return
		case errors.Is(err, schema.ErrConflict): // another process took the lease
			c.lease, c.unflushed, c.cursor = nil, nil, -1
			wait = leaseTTL / 4
		case err != nil && c.ctx.Err() != nil:
			return
		case err != nil:
			c.j.report(c, err)
			wait, wakeup = errorPause, nil
		}
		if wait <= 0 {
			if !c.full {
				c.gather()
			}
			continue
		}
		timer := time.NewTimer(wait)
		quiet = false
		select {
		case <-c.stop:
		case <-wakeup:
			c.gather()
		case <-timer.C:
			quiet = true
		}
		timer.Stop()
	}
}

// limitedPass calls pass, within [schema.Limiter] if the subscription is [Limited].
func (c *consumer) limitedPass(quiet bool) (wait time.Duration, err error) {
	if c.opts.limited {
		defer c.j.db.BeginBackground(c.stop)()
		if c.stopping() {
			return 0, nil
		}
	}
	return c.pass(c.ctx, quiet)
}

// gather waits for more events to collect into a batch, until the wait of
// [InBatches] is over, or WaitIdle or a stop ends it.
func (c *consumer) gather() {
	if c.opts.gather == 0 {
		return
	}
	tick := time.NewTicker(c.opts.gather)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-c.hurry:
			return
		case <-tick.C:
			if !c.j.loading(c.opts.gather) {
				return
			}
		}
	}
}

// note records the error of a pass until a later pass succeeds. Losing the race for
// the lease is not an error.
func (c *consumer) note(err error) {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	c.fault = ""
	if err != nil && !errors.Is(err, schema.ErrConflict) {
		c.fault = shorten(err.Error())
	}
}

// pass delivers the pending events and returns how long to wait for more.
func (c *consumer) pass(ctx context.Context, quiet bool) (wait time.Duration, err error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	w, err := c.read(ctx)
	if err != nil {
		return 0, err
	}
	skipped := w.through - c.cursor
	if len(w.due)+len(w.events) == 0 && (skipped == 0 || !quiet && skipped < skipLimit*seqStep(c.j.db)) {
		c.pos = w.through
		return w.idle(c.j.opts.Poll), nil
	}
	if !c.lease.Held() {
		if free := time.Until(w.heldUntil); free > 0 {
			return min(free, c.j.opts.Poll), nil
		}
		if c.lease, err = c.j.db.AcquireLease(ctx, "consumer:"+c.name, c.j.holder, leaseTTL); err != nil {
			return 0, err
		}
		// The previous holder may have moved the cursor since.
		if w, err = c.read(ctx); err != nil {
			return 0, err
		}
	}
	c.unflushed, c.full = &progress{cursor: c.pos, deliveries: make(map[int64]delivery)}, w.more
	return 0, c.deliver(ctx, w)
}

// deliver calls the handler for the pending events, oldest failure first.
func (c *consumer) deliver(ctx context.Context, w *backlog) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer c.lease.KeepAlive(context.WithoutCancel(ctx), cancel)()
	flushed := time.Now()
	for _, d := range w.due {
		if c.stopping() || !c.attempt(ctx, d.Event, d.attempts, true) {
			return c.flush()
		}
	}
	if c.opts.batch != nil && len(w.events) > 1 && !c.stopping() && c.callBatch(ctx, w.events) == nil {
		w.events = nil // done; after a failure each is delivered separately
	}
	for _, e := range w.events {
		if c.stopping() || !c.attempt(ctx, e, 0, false) {
			return c.flush()
		}
		c.unflushed.cursor = e.Seq
		if time.Since(flushed) > flushEvery {
			if err := c.flush(); err != nil {
				return err
			}
			c.unflushed = &progress{cursor: c.pos, deliveries: make(map[int64]delivery)}
			flushed = time.Now()
		}
	}
	c.unflushed.cursor = w.through
	return c.flush()
}

// callBatch runs the batch handler and cancels it batchGrace after the consumer is
// stopped. A batch can take longer than Close waits, and it is delivered again.
func (c *consumer) callBatch(ctx context.Context, events []Event) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-c.stop:
		}
		select {
		case <-ctx.Done():
		case <-time.After(batchGrace):
			cancel()
		}
	}()
	return c.call(ctx, events...)
}

// attempt calls the handler once and records the outcome. It returns false if the
// attempt does not count, because the bus is closing or the lease was lost.
func (c *consumer) attempt(ctx context.Context, e Event, attempts int, again bool) bool {
	err := c.call(ctx, e)
	var permanent *permanentError
	d := delivery{attempts: attempts + 1}
	switch {
	case err == nil:
		if again {
			c.unflushed.deliveries[e.Seq] = delivery{succeeded: true}
		}
		return true
	case ctx.Err() != nil, c.stopping() && errors.Is(err, schema.ErrClosed):
		return false
	case errors.As(err, &permanent), d.attempts >= c.opts.maxAttempts:
		// Parked: no next attempt.
	default:
		d.next = time.Now().Add(c.backoff(d.attempts))
	}
	d.lastError = shorten(err.Error())
	c.j.report(c, fmt.Errorf("event %d, attempt %d: %w", e.Seq, d.attempts, err))
	c.unflushed.deliveries[e.Seq] = d
	return true
}

// backoff calls the host's [Backoff] function, and uses the default if it panics.
func (c *consumer) backoff(attempts int) (wait time.Duration) {
	defer func() {
		if r := recover(); r != nil {
			wait = defaultBackoff(attempts)
			c.j.report(c, fmt.Errorf("the default wait was taken: %w", schema.ForeignPanic("Backoff", r)))
		}
	}()
	return max(c.opts.backoff(attempts), 0)
}

// call runs the handler for one event, or the batch handler for several.
func (c *consumer) call(ctx context.Context, events ...Event) (err error) {
	returned := false
	defer func() {
		if r := recover(); r != nil {
			err = schema.ForeignPanic("the handler", r)
		} else if !returned {
			c.j.report(c, fmt.Errorf("event %d: the handler called runtime.Goexit, as a test's FailNow does, and ended its subscription", events[0].Seq))
		}
	}()
	if len(events) == 1 {
		err = c.h(ctx, events[0])
	} else {
		err = c.opts.batch(ctx, events)
	}
	err = schema.Foreign("the handler", err)
	returned = true
	return err
}

// shutdown stores the progress and releases the lease, so that another process can
// continue at once.
func (c *consumer) shutdown() {
	if c.unflushed == nil && c.lease.Held() && c.pos > c.cursor {
		c.unflushed = &progress{cursor: c.pos}
	}
	if err := c.flush(); err != nil && !errors.Is(err, schema.ErrConflict) && !errors.Is(err, schema.ErrClosed) {
		c.j.report(c, err)
	}
	if c.lease.Held() {
		_ = c.lease.Release(context.Background()) // it expires otherwise
	}
}

// Name implements [Subscription].
func (c *consumer) Name() string { return c.name }

// Close implements [Subscription].
func (c *consumer) Close(ctx context.Context) error {
	c.signalStop()
	ctx, done := withGrace(ctx)
	defer done()
	return c.wait(ctx)
}

// consumerKey is the context key under which a handler's context holds its consumer.
type consumerKey struct{}

func (c *consumer) servesCaller(ctx context.Context) bool { return ctx.Value(consumerKey{}) == c }

// wait waits for run to return. If ctx is done first, it cancels the handler and
// waits for another cancelGrace.
func (c *consumer) wait(ctx context.Context) error {
	if c.servesCaller(ctx) {
		return nil
	}
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
	}
	c.cancel()
	select {
	case <-c.done:
		return nil
	case <-time.After(cancelGrace):
		return fmt.Errorf("consumer %s: its handler has not returned: %w", c.name, context.Cause(ctx))
	}
}
