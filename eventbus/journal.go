package eventbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

// JournalOptions configure a [Journal]. The zero value gives a bus without redaction
// and error reporting.
type JournalOptions struct {
	// Redact rewrites every text of a payload before it is stored: the text,
	// speaker, tool and labels of a message, and the strings, numbers and member
	// names of any other JSON. Its errors make Publish fail. Ids, topics and scopes
	// are not rewritten. Default none.
	Redact schema.Redact
	// Topics are the topics of consumers that another process may run, by consumer
	// name. [Journal.Stats] needs them to count the lag exactly. Default none.
	Topics map[string][]string
	// Poll is the interval at which consumers look for events published by other
	// processes. Events of this journal reach them at once. Default 1 s.
	Poll time.Duration
	// ErrorHook is called for every failed delivery and every internal failure of
	// the bus; source is "consumer:" followed by the consumer's name. It must be
	// fast and safe for concurrent use. If it panics, it is called once more with
	// that panic as an error. Default none.
	ErrorHook func(source string, err error)
}

// Journal is a durable [Bus]: a table of events in a memory's database, and consumers
// that each have a position in it. It is safe for concurrent use.
type Journal struct {
	db     *schema.DB
	opts   JournalOptions
	holder string // lease holder id of this journal

	mu        sync.Mutex
	closed    bool
	consumers map[string]*consumer
	settled   chan struct{} // closed and replaced when a consumer has stored its progress
	loads     int           // running bulk loads
	loaded    time.Time     // when the last one ended
}

var _ Bus = (*Journal)(nil)

// NewJournal creates the bus of a database. It starts no goroutine; Close it before
// the database.
func NewJournal(db *schema.DB, opts *JournalOptions) *Journal {
	j := &Journal{
		db: db, holder: uuid.NewString(),
		consumers: make(map[string]*consumer), settled: make(chan struct{}),
	}
	if opts != nil {
		j.opts = *opts
	}
	if j.opts.Poll <= 0 {
		j.opts.Poll = time.Second
	}
	return j
}

// Publish implements [Publisher]. It rejects the memory.* topics, which are reserved
// for ebb's own reports.
func (j *Journal) Publish(ctx context.Context, events ...Event) error {
	b, err := j.Prepare(ctx, events...)
	if err != nil {
		return err
	}
	_, err = b.Publish(ctx, nil, nil)
	return err
}

// Outcome is the result of publishing one event.
type Outcome string

// The outcomes.
const (
	Journalled Outcome = "journalled" // new, and durable
	Duplicate  Outcome = "duplicate"  // the user already has an event with this id; nothing was written
	Erased     Outcome = "erased"     // an event with this id was erased; nothing was written
)

// Batch holds validated and redacted events. It can be published once.
type Batch struct {
	j      *Journal
	events []Event
}

// StoreHook writes the rows derived from new events, in the transaction that stores
// the events. fresh are the indexes of these events in the [Batch]; their Seq is set.
// The returned reports are appended to the journal after the events. An error rolls
// back the whole Publish; it must name the event. A StoreHook may be called several
// times for one Batch, each time with at most [schema.RowsAtOnce] events, and again
// from the start if the transaction is retried.
type StoreHook func(ctx context.Context, tx *schema.Tx, fresh []int) ([]PreparedReport, error)

// Prepare does the part of Publish that needs no transaction: it validates and
// redacts the events.
func (j *Journal) Prepare(ctx context.Context, events ...Event) (*Batch, error) {
	b := &Batch{j: j, events: slices.Clone(events)}
	for i := range b.events {
		if err := b.prepare(ctx, &b.events[i]); err != nil {
			return nil, atIndex(i, len(events), err)
		}
	}
	return b, nil
}

func (b *Batch) prepare(ctx context.Context, e *Event) error {
	if err := hostTopic(e.Topic); err != nil {
		return err
	}
	if e.ID == "" {
		e.ID = newID()
	}
	if e.OccurredAt.IsZero() {
		e.OccurredAt = b.j.db.Now()
	}
	return normalise(ctx, e, b.j.opts.Redact)
}

// Event returns an event of the batch in its stored form.
func (b *Batch) Event(i int) *Event { return &b.events[i] }

// Publish stores the events as [Journal.Publish] does and returns the outcome of
// each. queued, if not nil, is called once the write is in the queue, so that events
// published later are stored after it; it is not called if Publish fails earlier.
// store, if not nil, is called for the new events.
func (b *Batch) Publish(ctx context.Context, queued func(), store StoreHook) ([]Outcome, error) {
	for i := range b.events {
		b.events[i].cache = nil // no longer needed
	}
	outcomes := make([]Outcome, len(b.events))
	err := b.j.write(ctx, len(b.events), queued, func(ctx context.Context, tx *schema.Tx) error {
		for first := 0; first < len(b.events); first += schema.RowsAtOnce {
			if err := b.store(ctx, tx, first, min(first+schema.RowsAtOnce, len(b.events)), outcomes, store); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// store writes events[first:end] to the journal and calls the hook for the new
// ones.
func (b *Batch) store(ctx context.Context, tx *schema.Tx, first, end int, outcomes []Outcome, store StoreHook) error {
	if err := b.j.append(ctx, tx, b.events, outcomes, first, end); err != nil || store == nil {
		return err
	}
	var fresh []int
	for i := first; i < end; i++ {
		if outcomes[i] == Journalled {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	reports, err := store(ctx, tx, fresh)
	if err != nil || len(reports) == 0 {
		return err
	}
	return b.j.AppendPrepared(ctx, tx, reports...)
}

// Report publishes events of the memory.* topics. It is for ebb itself, and not part
// of [Bus]. Events of an unknown user are dropped: the user may have been erased in the
// meantime.
func (j *Journal) Report(ctx context.Context, events ...Event) error {
	events = slices.Clone(events)
	for i := range events {
		if err := redactPayload(ctx, &events[i], j.opts.Redact); err != nil {
			return atIndex(i, len(events), err)
		}
	}
	return j.write(ctx, len(events), nil, func(ctx context.Context, tx *schema.Tx) error {
		return j.AppendTx(ctx, tx, events...)
	})
}

// AppendTx is [Journal.Report] as part of a write: the events are stored if and only
// if that write commits, and consumers are woken after it. It does not redact, so the
// events must not contain user text.
func (j *Journal) AppendTx(ctx context.Context, tx *schema.Tx, events ...Event) error {
	reports := make([]PreparedReport, len(events))
	for i, e := range events {
		var err error
		if reports[i], err = PrepareReport(e); err != nil {
			return atIndex(i, len(events), err)
		}
	}
	return j.AppendPrepared(ctx, tx, reports...)
}

// PreparedReport is an event of the memory.* topics that was validated before the
// write, to keep the transaction short.
type PreparedReport struct{ event Event }

// PrepareReport does the part of [Journal.AppendTx] that needs no transaction.
func PrepareReport(e Event) (PreparedReport, error) {
	if !isReport(e.Topic) {
		return PreparedReport{}, &schema.InvalidError{Field: "Topic", Reason: "of a report must be one of memory.*; Publish takes the others"}
	}
	err := normalise(context.Background(), &e, nil) // without redaction it cannot block
	return PreparedReport{e}, err
}

// AppendPrepared does the part of [Journal.AppendTx] that needs the transaction.
func (j *Journal) AppendPrepared(ctx context.Context, tx *schema.Tx, reports ...PreparedReport) error {
	events := make([]Event, len(reports))
	for i, r := range reports {
		events[i] = r.event
	}
	return j.append(ctx, tx, events, make([]Outcome, len(events)), 0, len(events))
}

func (j *Journal) write(ctx context.Context, n int, queued func(), fn func(context.Context, *schema.Tx) error) error {
	if j.isClosed() {
		return schema.ErrClosed
	}
	if n == 0 {
		return nil
	}
	return j.db.WriteQueued(ctx, queued, fn)
}

// Load marks the start of a bulk load, and end its end; end may be called more than
// once. During a load, and for their usual wait after it, consumers with [InBatches]
// only collect events: handling them would slow the load down and is cheaper in
// larger batches.
func (j *Journal) Load() (end func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.loads++
	return sync.OnceFunc(func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.loads--
		j.loaded = time.Now()
	})
}

// loading reports whether a bulk load is running, or ended within the given time.
func (j *Journal) loading(within time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.loads > 0 || !j.loaded.IsZero() && time.Since(j.loaded) < within
}

// append writes events[first:end] to the journal, sets their Seq, OccurredAt and
// RecordedAt, and stores the outcome of each.
func (j *Journal) append(ctx context.Context, tx *schema.Tx, events []Event, outcomes []Outcome, first, end int) error {
	rows, places := make([]*schema.NewEvent, 0, end-first), make([]int, 0, end-first)
	for i := first; i < end; i++ {
		e := &events[i]
		if e.ID != "" {
			// An event of an erased user must not store the user's name again.
			erased, err := tx.ErasedOfUnknown(ctx, e.Scope, e.ID)
			if err != nil {
				return atIndex(i, len(events), err)
			}
			if erased {
				e.Seq, outcomes[i] = 0, Erased
				continue
			}
		}
		owner := tx.UserID
		if isReport(e.Topic) {
			owner = tx.KnownUserID
		}
		user, err := owner(ctx, e.Scope)
		if errors.Is(err, schema.ErrNotFound) { // a report of a user who was erased in the meantime
			e.Seq, outcomes[i] = 0, Erased
			continue
		}
		if err != nil {
			return atIndex(i, len(events), err)
		}
		rows, places = append(rows, &schema.NewEvent{Owner: e.Scope, Row: e.row(user)}), append(places, i)
	}
	if err := tx.AppendEvents(ctx, rows...); err != nil {
		return err
	}
	var topics []string
	for n, i := range places {
		e, row := &events[i], rows[n].Row
		e.Seq, e.OccurredAt, e.RecordedAt = row.Seq, row.OccurredAt.Time, row.RecordedAt.Time
		switch rows[n].Appended {
		case schema.EventErased:
			outcomes[i] = Erased
		case schema.EventDuplicate:
			outcomes[i] = Duplicate
		case schema.EventStored:
			outcomes[i] = Journalled
			if !slices.Contains(topics, e.Topic) {
				topics = append(topics, e.Topic)
			}
		}
	}
	if len(topics) > 0 {
		tx.OnCommit(func() { j.wake(topics...) })
	}
	return nil
}

// atIndex adds the index of the event to an error, if there are several events.
func atIndex(i, n int, err error) error {
	if n == 1 {
		return err
	}
	return fmt.Errorf("event %d of %d: %w", i+1, n, err)
}

// Subscribe implements [Subscriber].
func (j *Journal) Subscribe(ctx context.Context, name string, h Handler, opts ...SubscribeOption) (Subscription, error) {
	o, err := newSubscribeOptions(name, h, opts)
	if err != nil {
		return nil, err
	}
	c := newConsumer(j, name, h, o)
	if err := j.reserve(c); err != nil {
		return nil, err
	}
	if err := createConsumer(ctx, j.db, name, o.fromStart); err != nil {
		j.remove(c)
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		delete(j.consumers, name)
		return nil, schema.ErrClosed
	}
	c.started = true
	go c.run()
	return c, nil
}

func (j *Journal) reserve(c *consumer) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return schema.ErrClosed
	}
	if _, taken := j.consumers[c.name]; taken {
		return &schema.InvalidError{Field: "name", Reason: fmt.Sprintf("%q is subscribed already; close that subscription first", c.name)}
	}
	j.consumers[c.name] = c
	return nil
}

func (j *Journal) remove(c *consumer) {
	j.mu.Lock()
	delete(j.consumers, c.name)
	j.mu.Unlock()
}

// Close implements [Bus]. The database stays open.
func (j *Journal) Close(ctx context.Context) error {
	j.mu.Lock()
	j.closed = true
	var open []*consumer
	for _, c := range j.consumers {
		if c.started {
			open = append(open, c)
		}
	}
	j.mu.Unlock()
	for _, c := range open {
		c.signalStop()
	}
	ctx, done := withGrace(ctx)
	defer done()
	errs := make([]error, len(open))
	var wg sync.WaitGroup
	for i, c := range open {
		wg.Go(func() { errs[i] = c.wait(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (j *Journal) isClosed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed
}

// wake wakes the consumers that subscribe to any of the topics.
func (j *Journal) wake(topics ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.consumers {
		if slices.ContainsFunc(topics, c.opts.wants) {
			c.signalWake()
		}
	}
}

func (j *Journal) announceSettled() {
	j.mu.Lock()
	close(j.settled)
	j.settled = make(chan struct{})
	j.mu.Unlock()
}

func (j *Journal) report(c *consumer, err error) {
	if j.opts.ErrorHook == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			defer func() { _ = recover() }() // not called a third time
			j.opts.ErrorHook("consumer:"+c.name, errors.Join(schema.ForeignPanic("ErrorHook", r), err))
		}
	}()
	j.opts.ErrorHook("consumer:"+c.name, err)
}

// closeGrace is how long Close waits if its context has no deadline, so that a stuck
// handler cannot block the process's exit.
const closeGrace = 5 * time.Second

func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, closeGrace)
}
