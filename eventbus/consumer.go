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
	// errorPause is how long a consumer waits when the database refused it.
	errorPause = time.Second
	// leaseTTL is how soon another process takes over from one that died.
	leaseTTL = time.Second
	// flushEvery bounds what is delivered again after a crash.
	flushEvery = 250 * time.Millisecond
	// cancelGrace is how long a cancelled handler gets to return.
	cancelGrace = 250 * time.Millisecond
	// skipLimit is how many events of other topics a consumer passes over
	// before it writes down where it is, when it has nothing else to write.
	skipLimit = 512
)

// consumer serves one subscription from one goroutine.
type consumer struct {
	j       *Journal
	name    string
	h       Handler
	opts    subscribeOptions
	started bool   // guarded by j.mu
	fault   string // of the last pass; guarded by j.mu

	wakeup   chan struct{}
	hurry    chan struct{} // somebody waits: gather no longer
	stop     chan struct{}
	stopOnce sync.Once
	done     chan struct{}
	ctx      context.Context // of the handler
	cancel   context.CancelFunc

	// Below: used by run's goroutine alone.
	lease  *schema.Lease
	cursor int64 // the stored cursor, as last seen
	pos    int64 // at or after cursor: everything up to here is done or of no interest
	unsent *progress
	full   bool // the last pass took all that one may, and there is more
}

func newConsumer(j *Journal, name string, h Handler, o subscribeOptions) *consumer {
	c := &consumer{
		j: j, name: name, h: h, opts: o,
		wakeup: make(chan struct{}, 1), hurry: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}), cursor: -1,
	}
	c.ctx, c.cancel = context.WithCancel(context.WithValue(context.Background(), servedBy{}, c))
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

// run delivers until it is stopped or the database is closed.
func (c *consumer) run() {
	defer close(c.done)
	defer c.j.forget(c)
	defer c.cancel()
	defer c.leave()
	quiet := false
	for !c.stopping() {
		if c.j.loading(c.opts.gather) {
			c.gather()
		}
		wait, err := c.turn(quiet)
		c.note(err)
		wakeup := c.wakeup
		switch {
		case errors.Is(err, schema.ErrClosed):
			return
		case errors.Is(err, schema.ErrConflict): // another process was faster
			c.lease, c.unsent, c.cursor = nil, nil, -1
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

// turn is a pass, in turn with what is done behind other databases if it shall
// be.
func (c *consumer) turn(quiet bool) (wait time.Duration, err error) {
	if c.opts.inTurn {
		defer c.j.db.TakeTurn(c.stop)()
		if c.stopping() {
			return 0, nil
		}
	}
	return c.pass(c.ctx, quiet)
}

// gather lets events come together, unless somebody waits for them.
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

// note keeps why a pass failed until one does not. Losing the race for the
// lease is no failure.
func (c *consumer) note(err error) {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	c.fault = ""
	if err != nil && !errors.Is(err, schema.ErrConflict) {
		c.fault = shorten(err.Error())
	}
}

// pass delivers what there is to deliver and says how long to wait for more.
func (c *consumer) pass(ctx context.Context, quiet bool) (wait time.Duration, err error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	w, err := c.read(ctx)
	if err != nil {
		return 0, err
	}
	skipped := w.through - c.cursor
	if len(w.due)+len(w.events) == 0 && (skipped == 0 || !quiet && skipped < skipLimit) {
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
		// Whoever had it before may have moved the cursor since.
		if w, err = c.read(ctx); err != nil {
			return 0, err
		}
	}
	c.unsent, c.full = &progress{cursor: c.pos, deliveries: make(map[int64]delivery)}, w.more
	return 0, c.deliver(ctx, w)
}

// deliver hands the work to the handler, oldest failure first.
func (c *consumer) deliver(ctx context.Context, w *work) error {
	ctx, beat := c.keepLease(ctx)
	defer beat.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	flushed := time.Now()
	for _, d := range w.due {
		if c.stopping() || !c.attempt(ctx, d.Event, d.attempts, true) {
			return c.flush()
		}
	}
	if c.opts.together != nil && len(w.events) > 1 && !c.stopping() && c.call(ctx, w.events...) == nil {
		w.events = nil // done; of others each comes by itself
	}
	for _, e := range w.events {
		if c.stopping() || !c.attempt(ctx, e, 0, false) {
			return c.flush()
		}
		c.unsent.cursor = e.Seq
		if time.Since(flushed) > flushEvery {
			if err := c.flush(); err != nil {
				return err
			}
			c.unsent = &progress{cursor: c.pos, deliveries: make(map[int64]delivery)}
			flushed = time.Now()
		}
	}
	c.unsent.cursor = w.through
	return c.flush()
}

// attempt calls the handler once and notes the outcome. It returns false when
// the attempt does not count because the bus is ending or the lease was lost.
func (c *consumer) attempt(ctx context.Context, e Event, attempts int, again bool) bool {
	err := c.call(ctx, e)
	var snooze *snoozeError
	var permanent *permanentError
	d := delivery{attempts: attempts + 1}
	switch {
	case err == nil:
		if again {
			c.unsent.deliveries[e.Seq] = delivery{succeeded: true}
		}
		return true
	case ctx.Err() != nil, c.stopping() && (errors.Is(err, ErrStopped) || errors.Is(err, schema.ErrClosed)):
		return false
	case errors.As(err, &snooze):
		d = delivery{attempts: attempts, next: time.Now().Add(snooze.wait)}
	case errors.As(err, &permanent), d.attempts >= c.opts.maxAttempts:
		// Parked: no next attempt.
	default:
		d.next = time.Now().Add(c.backoff(d.attempts))
	}
	if snooze == nil {
		d.lastError = shorten(err.Error())
		c.j.report(c, fmt.Errorf("event %d, attempt %d: %w", e.Seq, d.attempts, err))
	}
	c.unsent.deliveries[e.Seq] = d
	return true
}

// backoff asks the host's function, and does without when that panics.
func (c *consumer) backoff(attempts int) (wait time.Duration) {
	defer func() {
		if r := recover(); r != nil {
			wait = defaultBackoff(attempts)
			c.j.report(c, fmt.Errorf("the default wait was taken: %w", schema.ForeignPanic("Backoff", r)))
		}
	}()
	return max(c.opts.backoff(attempts), 0)
}

// call has the handler do one event, or several together.
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
		err = c.opts.together(ctx, events)
	}
	err = schema.Foreign("the handler", err)
	returned = true
	return err
}

// keepLease renews the lease while ctx lasts and ends the returned context
// when the lease is lost.
func (c *consumer) keepLease(ctx context.Context) (context.Context, *heartbeat) {
	ctx, cancel := context.WithCancelCause(ctx)
	b := &heartbeat{quit: make(chan struct{})}
	lease := c.lease
	b.done.Go(func() {
		defer cancel(nil)
		tick := time.NewTicker(leaseTTL / 3)
		defer tick.Stop()
		for {
			select {
			case <-b.quit:
				return
			case <-tick.C:
			}
			// A write that fails for another reason is tried again; the
			// cursor's own write checks the lease in any case.
			if err := lease.Renew(context.WithoutCancel(ctx)); errors.Is(err, schema.ErrConflict) {
				cancel(err)
				return
			}
		}
	})
	return ctx, b
}

type heartbeat struct {
	quit chan struct{}
	done sync.WaitGroup
}

// Wait ends the heartbeat.
func (b *heartbeat) Wait() {
	close(b.quit)
	b.done.Wait()
}

// leave stores what was done last and lets another process go on at once.
func (c *consumer) leave() {
	if c.unsent == nil && c.lease.Held() && c.pos > c.cursor {
		c.unsent = &progress{cursor: c.pos}
	}
	if err := c.flush(); err != nil && !errors.Is(err, schema.ErrConflict) && !errors.Is(err, schema.ErrClosed) {
		c.j.report(c, err)
	}
	if c.lease.Held() {
		_ = c.lease.Release(context.Background()) // it runs out by itself
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

// servedBy is the context key under which a handler's context carries the
// consumer that called it.
type servedBy struct{}

func (c *consumer) servesCaller(ctx context.Context) bool { return ctx.Value(servedBy{}) == c }

// wait returns when run has ended. When ctx ends first it cancels the handler
// and gives it a moment to obey.
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
