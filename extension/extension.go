package extension

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// Extension is one memory: a file, the event bus that feeds it, search, and
// background work. It is safe for concurrent use.
type Extension struct {
	cfg        Config
	mem        *memory.Memory // the parts below, for packages that share them
	db         *schema.DB
	bus        *eventbus.Journal
	redactor   *memory.Redactor
	captures   *captures
	searcher   *recall.Searcher
	vectors    *embed.Worker // nil without an embedder
	runner     *consolidate.Runner
	reader     *claims.Reader
	background *background
	erasures   erasureFinisher
	own        *prompt.Views
	closed     atomic.Bool // set when Close begins

	onDemandNights bool // see memory.Options

	mu     sync.Mutex
	missed *lru.Cache[missed, fault]
}

// Open opens the memory in the file at path, creating the file if it does not
// exist, and starts background work. A nil config means no model, no key and no
// network. Call Close when done.
//
// Errors: [*InvalidError] naming the path or the config field, [ErrNotDatabase],
// [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly], [ErrBusy], [ErrDiskFull],
// [ErrIO].
func Open(ctx context.Context, path string, config *Config) (*Extension, error) {
	return OpenWith(ctx, path, config, memory.Options{})
}

// OpenWith is [Open] with options that only packages of this module can set.
func OpenWith(ctx context.Context, path string, config *Config, opts memory.Options) (*Extension, error) {
	cfg, err := config.WithDefaults()
	if err != nil {
		return nil, err
	}
	file := opts.File
	x := &Extension{cfg: cfg, onDemandNights: opts.OnDemandNights, redactor: memory.NewRedactor(memory.RedactOptions(cfg.Redaction))}
	if x.missed, err = lru.New[missed, fault](maxMissed); err != nil {
		return nil, err
	}
	if err := x.guard(); err != nil {
		return nil, err
	}
	cfg = x.cfg
	file.Now, file.ReadOnly, file.OnFault, file.Key = cfg.Now, cfg.ReadOnly, x.report, cfg.Key
	db, err := schema.Open(ctx, path, &file)
	if err != nil {
		return nil, err
	}
	x.db = db
	db.OnWaiting(x.announceWaiting)
	db.OnBlock(x.announceBlock)
	if x.captures, err = newCaptures(cfg.Now, x); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	x.captures.stamp = x.stamp
	if x.own, err = prompt.NewViews(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	options := recall.Options{Weights: cfg.Ranking.Weights, Scorer: cfg.Ranking.Scorer, Rerank: cfg.Ranking.Rerank, CandidateFactor: cfg.Ranking.CandidateFactor, Retention: cfg.Ranking.Retention, Planner: cfg.Ranking.Planner}
	if cfg.Embedding.Embedder != nil {
		x.vectors, err = embed.New(db, cfg.Embedding.Embedder, embed.Options{
			Model: cfg.Embedding.Model, Dims: cfg.Embedding.Dims, CallsPerMinute: cfg.Embedding.CallsPerMinute,
			OnError: func(err error) { x.report("embed", err) },
		})
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		options.Vectors.Embedder, options.Vectors.Timeout = x.vectors, cfg.Embedding.QueryTimeout
	}
	x.searcher = recall.New(db, options)
	x.bus = eventbus.NewJournal(db, &eventbus.JournalOptions{
		Redact: x.redactor.Text, Topics: memory.Consumers,
		ErrorHook: func(source string, err error) { x.report(source, err) },
	})
	x.mem = &memory.Memory{
		DB: db, Bus: x.bus, Searcher: x.searcher, Vectors: x.vectors, Redactor: x.redactor, Cycles: &memory.Cycles{},
		Blocks: cfg.CoreMemory.Blocks, Now: cfg.Now, ReadOnly: cfg.ReadOnly, CallHost: x.ask,
	}
	x.mem.Observe = x.mem.Observed(cfg.Hooks.OnOperation)
	if err := x.mem.Cycles.Load(ctx, db); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	x.reader = x.newReader()
	if x.runner, err = x.newRunner(); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	if err := x.reportLosses(ctx); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	if err := x.resumeErasures(ctx); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	if !cfg.NoBackground {
		if x.background, err = startBackground(ctx, x); err != nil {
			return nil, errors.Join(err, x.Close(ctx))
		}
	}
	return x, nil
}

// closeWithin is how long Close waits if its context has no deadline.
const closeWithin = 5 * time.Second

// Close waits for work in flight until ctx's deadline, or 5 s without one, and
// closes the file. Pending work is durable and continues at the next Open.
// Cancelling ctx does not shorten the wait, since programs often cancel their
// context before closing. Calling Close again is allowed.
//
// The error names what had not ended in time: a bus handler, a call to a model, a
// transaction. It continues in the background as long as the program runs. If the
// program exits first, each transaction is in the file entirely or not at all,
// everything acknowledged is in the file or in its log, and the next Open resumes
// the work.
func (x *Extension) Close(ctx context.Context) error {
	x.closed.Store(true)
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(closeWithin)
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	// nights before the bus, which they use; the file last
	errs := []error{x.erasures.stop(ctx), x.background.stop(ctx), x.bus.Close(ctx)}
	if x.vectors != nil {
		errs = append(errs, x.vectors.Stop(ctx))
	}
	x.searcher.Close()
	return errors.Join(append(errs, x.db.CloseWithin(ctx))...)
}

// errIfClosed returns [ErrClosed] after Close has begun.
func (x *Extension) errIfClosed() error {
	if x.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Parts returns the parts of the memory for packages of this module. Hosts do not
// need it.
func (x *Extension) Parts() *memory.Memory { return x.mem }

// Bus returns the memory's event bus. Events published on user.message,
// agent.response and tool.result are remembered in the same transaction. A host can
// subscribe to all topics, with a durable position for each consumer name, and list and
// retry the events that a consumer failed on. Close of the memory closes the bus.
func (x *Extension) Bus() eventbus.Durable { return hostBus{x.bus, x.captures, x.mem} }

// Session returns the memory as seen by one conversation of one user. It returns an
// [*InvalidError] naming the field for a scope without a user or with a label that
// holds a credential, and [ErrClosed] after Close.
func (x *Extension) Session(scope Scope) (*Session, error) {
	scope = x.db.Complete(scope)
	if err := x.errIfClosed(); err != nil {
		return nil, err
	}
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := x.redactor.Labels(scope); err != nil {
		return nil, err
	}
	s := &Session{ext: x, scope: scope, own: x.captures.conversation(scope, nil), shown: &blocks{}, unnamed: &talk{}, began: x.cfg.Now()}
	s.tools = tools.New(s.toolDeps(), x.cfg.Tools.Names...)
	return s, nil
}

// SetTimeZone sets the time zone in which a user's days are meant: in questions, in dates
// shown to models and in the user's nights. name is an IANA name such as "Europe/Oslo",
// or "" for Config.Location. Import time/tzdata on machines without these names.
//
// Errors: [*InvalidError], [ErrReadOnly], the database's errors.
func (x *Extension) SetTimeZone(ctx context.Context, scope Scope, name string) error {
	scope = x.db.Complete(scope)
	if err := x.redactor.Labels(scope); err != nil {
		return err
	}
	return x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		return tx.SetTimeZone(ctx, userID, name)
	})
}

// placed sets when a query is asked, in the user's time zone, whose days it means.
func (x *Extension) placed(ctx context.Context, scope Scope, q Query) (Query, error) {
	if q.Now.IsZero() {
		q.Now = x.cfg.Now()
	}
	loc, err := x.location(ctx, scope)
	q.Now = q.Now.In(loc)
	return q, err
}

// location returns the user's time zone, or Config.Location.
func (x *Extension) location(ctx context.Context, scope Scope) (*time.Location, error) {
	zone, err := x.mem.Zone(ctx, scope)
	return cmp.Or(zone, x.cfg.Location), err
}

// Recall searches one user's memory and explains each result. It writes nothing, so
// results do not count as accessed. The scope's session and agent do not restrict
// the search; the query's do. Days are those of the user's time zone. Unless the query
// asks about a time, a claim that no longer holds ranks below the claim that replaced
// it if both are found.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Recall(ctx context.Context, scope Scope, q Query) (*Answer, error) {
	scope = x.db.Complete(scope)
	q, err := x.placed(ctx, scope, q)
	if err != nil {
		return nil, err
	}
	return x.presentFirst(x.recall(ctx, scope, q))
}

// recall is [Extension.Recall] of a query that is placed, without moving superseded claims
// down.
func (x *Extension) recall(ctx context.Context, scope Scope, q Query) (*Answer, error) {
	q = x.ofProfile(scope, q)
	ctx, done := x.mem.Observe.Begin(ctx, schema.Operation{Name: "search", Scope: scope, Query: q.Text})
	answer, err := x.searcher.Search(ctx, scope, q)
	found := 0
	if answer != nil {
		found = len(answer.Results)
	}
	done(found, err)
	return answer, err
}

// ofProfile adds to a query what the profile searches by: the cycle, and without the archive
// unless the query asks for it.
func (x *Extension) ofProfile(scope Scope, q Query) Query {
	q.Cycle = cmp.Or(q.Cycle, x.Cycle(scope))
	if len(x.cfg.Stores) > 0 && !q.Archived {
		q.Skip = x.skipArchived(q.Skip)
	}
	return q
}
