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

// JournalOptions are what the library around a journal adds to it. The zero
// value is a plain bus.
type JournalOptions struct {
	// Redact rewrites every text of a payload before anything of it is stored
	// or shown to Prepare: text, speaker and tool of a message, the strings,
	// numbers and names in any other JSON. An error of it fails the Publish.
	// Ids, topics and scopes are not rewritten. Default: nothing is.
	Redact schema.Redact
	// Prepare does the part of Ingest that needs no database, before the
	// transaction. It is called for every event of Publish, in order; an
	// error of it fails the Publish. Default none.
	Prepare func(e *Event) (prepared any, err error)
	// Ingest runs in the transaction that stores the events of a Publish, with
	// those of them that are new, in order, their Seq set: up to
	// [schema.RowsAtOnce] at a time, so that what it reports of them stands near
	// them in the journal. It may call [Journal.AppendTx]. An error of it,
	// which has to say of which event it is, undoes the whole Publish. Default
	// none.
	Ingest func(ctx context.Context, tx *schema.Tx, events []Ingested) error
	// Topics are those of consumers that are known by name and may be served by
	// another process, so that [Journal.Stats] can tell how far they are behind.
	// Default none.
	Topics map[string][]string
	// Poll is how soon consumers see what another process published; events
	// of this journal reach them at once. Default 1 s.
	Poll time.Duration
	// ErrorHook hears of every failed delivery and of every failure of the
	// bus's own work; source is "consumer:" and the consumer's name. It must
	// be fast and safe for concurrent use. When it panics, it is told so, once.
	// Default none.
	ErrorHook func(source string, err error)
}

// Ingested is an event that is being stored, with what [JournalOptions].Prepare
// made of it; nil without one.
type Ingested struct {
	*Event

	Prepared any
}

// Journal is the durable [Bus]: a table of events in a memory's database, and
// consumers that each keep their place in it. It is safe for concurrent use.
type Journal struct {
	db     *schema.DB
	opts   JournalOptions
	holder string // of this journal's leases

	mu        sync.Mutex
	closed    bool
	consumers map[string]*consumer
	settled   chan struct{} // closed and replaced when a consumer stored its progress
	loads     int           // bulk loads under way
	loaded    time.Time     // when the last one ended
}

var _ Bus = (*Journal)(nil)

// NewJournal makes the bus of a database. It starts nothing by itself; Close
// must come before db.Close.
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

// Publish implements [Publisher]. The memory.* topics are refused: they are
// ebb's own reports.
func (j *Journal) Publish(ctx context.Context, events ...Event) error {
	_, err := j.PublishEach(ctx, events...)
	return err
}

// Outcome is what became of one published event.
type Outcome string

// What can become of one.
const (
	Journalled Outcome = "journalled" // it is new, and durable
	Duplicate  Outcome = "duplicate"  // the user has an event of this id; nothing was written
	Erased     Outcome = "erased"     // an event of this id was erased and stays so; nothing was written
)

// PublishEach is [Journal.Publish] that says what became of each event.
func (j *Journal) PublishEach(ctx context.Context, events ...Event) ([]Outcome, error) {
	b, err := j.Prepare(ctx, events...)
	if err != nil {
		return nil, err
	}
	return b.Publish(ctx, nil)
}

// Batch is events that are ready to be published, once and together.
type Batch struct {
	j        *Journal
	events   []Event
	prepared []any // of each, by JournalOptions.Prepare
}

// Prepare does what a Publish costs before its transaction: it checks the
// events, redacts them and calls [JournalOptions].Prepare.
func (j *Journal) Prepare(ctx context.Context, events ...Event) (*Batch, error) {
	b := &Batch{j: j, events: slices.Clone(events), prepared: make([]any, len(events))}
	for i := range b.events {
		if err := b.prepare(ctx, i); err != nil {
			return nil, inBatch(i, len(events), err)
		}
	}
	return b, nil
}

func (b *Batch) prepare(ctx context.Context, i int) (err error) {
	e, j := &b.events[i], b.j
	if isReport(e.Topic) {
		return &schema.InvalidError{Field: "Topic", Reason: e.Topic + " is written by ebb alone; use a topic of your own"}
	}
	if e.ID == "" {
		e.ID = newID()
	}
	if e.OccurredAt.IsZero() {
		e.OccurredAt = j.db.Now()
	}
	if err := normalise(ctx, e, j.opts.Redact); err != nil {
		return err
	}
	if j.opts.Prepare != nil {
		b.prepared[i], err = j.opts.Prepare(e)
	}
	e.made = nil
	return err
}

// Publish stores the events as [Journal.Publish] does and says what became of
// each. It calls queued, unless that is nil, when they have their place among
// the writes: what is published from then on comes after them. A Publish that
// fails before does not call it.
func (b *Batch) Publish(ctx context.Context, queued func()) ([]Outcome, error) {
	outcomes := make([]Outcome, len(b.events))
	err := b.j.write(ctx, len(b.events), queued, func(ctx context.Context, tx *schema.Tx) error {
		for first := 0; first < len(b.events); first += schema.RowsAtOnce {
			if err := b.store(ctx, tx, first, min(first+schema.RowsAtOnce, len(b.events)), outcomes); err != nil {
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

// store writes some of the events to the journal and has the new ones ingested.
func (b *Batch) store(ctx context.Context, tx *schema.Tx, first, end int, outcomes []Outcome) error {
	if err := b.j.append(ctx, tx, b.events, outcomes, first, end); err != nil || b.j.opts.Ingest == nil {
		return err
	}
	var fresh []Ingested
	for i := first; i < end; i++ {
		if outcomes[i] == Journalled {
			fresh = append(fresh, Ingested{&b.events[i], b.prepared[i]})
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return b.j.opts.Ingest(ctx, tx, fresh)
}

// Report publishes events of the memory.* topics. It is for ebb itself; a
// host holds a [Bus], which does not have it.
func (j *Journal) Report(ctx context.Context, events ...Event) error {
	events = slices.Clone(events)
	for i := range events {
		if err := redactPayload(ctx, &events[i], j.opts.Redact); err != nil {
			return inBatch(i, len(events), err)
		}
	}
	return j.write(ctx, len(events), nil, func(ctx context.Context, tx *schema.Tx) error {
		return j.AppendTx(ctx, tx, events...)
	})
}

// AppendTx is [Journal.Report] as part of a write: the events exist if and
// only if that write is committed, and are announced after it. It is for
// reports without words of anybody: nothing is redacted inside a write.
func (j *Journal) AppendTx(ctx context.Context, tx *schema.Tx, events ...Event) error {
	reports := make([]PreparedReport, len(events))
	for i, e := range events {
		var err error
		if reports[i], err = PrepareReport(e); err != nil {
			return inBatch(i, len(events), err)
		}
	}
	return j.AppendPrepared(ctx, tx, reports...)
}

// PreparedReport is an event of the memory.* topics that was checked before its
// write, which others wait for.
type PreparedReport struct{ event Event }

// PrepareReport does the part of [Journal.AppendTx] that needs no transaction.
func PrepareReport(e Event) (PreparedReport, error) {
	if !isReport(e.Topic) {
		return PreparedReport{}, &schema.InvalidError{Field: "Topic", Reason: "of a report must be one of memory.*; Publish takes the others"}
	}
	err := normalise(context.Background(), &e, nil) // it waits for nobody: nothing is redacted
	return PreparedReport{e}, err
}

// AppendPrepared does the rest of [Journal.AppendTx].
func (j *Journal) AppendPrepared(ctx context.Context, tx *schema.Tx, reports ...PreparedReport) error {
	events := make([]Event, len(reports))
	for i, r := range reports {
		events[i] = r.event
	}
	return j.append(ctx, tx, events, make([]Outcome, len(events)), 0, len(events))
}

func (j *Journal) write(ctx context.Context, n int, queued func(), fn func(context.Context, *schema.Tx) error) error {
	if j.isClosed() {
		return ErrStopped
	}
	if n == 0 {
		return nil
	}
	return j.db.WriteQueued(ctx, queued, fn)
}

// Load says that a bulk load goes on until end is called. As long as one does,
// and for as long after as they wait anyway, consumers with [Together] let
// events gather: what they do would take time from it, and is cheaper then. end
// may be called more than once.
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

// loading reports whether a bulk load goes on, or did within a time.
func (j *Journal) loading(within time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.loads > 0 || !j.loaded.IsZero() && time.Since(j.loaded) < within
}

// append writes the events from first to before end to the journal, sets their
// Seq, OccurredAt and RecordedAt and says what became of each.
func (j *Journal) append(ctx context.Context, tx *schema.Tx, events []Event, outcomes []Outcome, first, end int) error {
	rows, places := make([]*schema.NewEvent, 0, end-first), make([]int, 0, end-first)
	for i := first; i < end; i++ {
		e := &events[i]
		if e.ID != "" {
			// Not even the name of an erased user comes back by it.
			erased, err := tx.ErasedOfUnknown(ctx, e.Scope, e.ID)
			if err != nil {
				return inBatch(i, len(events), err)
			}
			if erased {
				e.Seq, outcomes[i] = 0, Erased
				continue
			}
		}
		user, err := tx.UserID(ctx, e.Scope)
		if err != nil {
			return inBatch(i, len(events), err)
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

// inBatch says which of several events an error is about.
func inBatch(i, n int, err error) error {
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
		j.forget(c)
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		delete(j.consumers, name)
		return nil, ErrStopped
	}
	c.started = true
	go c.run()
	return c, nil
}

func (j *Journal) reserve(c *consumer) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrStopped
	}
	if _, taken := j.consumers[c.name]; taken {
		return &schema.InvalidError{Field: "name", Reason: fmt.Sprintf("%q is subscribed already; close that subscription first", c.name)}
	}
	j.consumers[c.name] = c
	return nil
}

func (j *Journal) forget(c *consumer) {
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

// wake tells the consumers of a topic that there is something to read.
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
			defer func() { _ = recover() }() // told once more, it has had its chance
			j.opts.ErrorHook("consumer:"+c.name, errors.Join(schema.ForeignPanic("ErrorHook", r), err))
		}
	}()
	j.opts.ErrorHook("consumer:"+c.name, err)
}

// closeGrace is how long a Close waits whose context has no deadline, so that
// no handler can hold up the end of a process for ever.
const closeGrace = 5 * time.Second

func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, closeGrace)
}
