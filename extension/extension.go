package extension

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/ownwords"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// Extension is one memory: a file, the bus that feeds it, the search over it,
// and what works behind the turn. It is safe for concurrent use.
type Extension struct {
	cfg      Config
	mem      *memory.Memory // the parts below, for the packages that share them
	db       *schema.DB
	bus      *eventbus.Journal
	redactor *memory.Redactor
	captures *captures
	searcher *recall.Searcher
	vectors  *embed.Worker // nil without an embedder
	runner   *consolidate.Runner
	reader   *claims.Reader
	behind   *background
	erasures finishing
	own      *ownwords.Views
	closed   atomic.Bool // Close has begun

	onDemandNights bool // see memory.Options

	mu     sync.Mutex
	missed map[missed]fault
}

// Open opens the memory in the file at path, creating it when there is none,
// and starts what works behind the turn. A nil config is fine: no model, no
// key, no network. Close it.
//
// Errors: [*InvalidError] naming the path or the field of the config,
// [ErrNotDatabase], [*VersionError], [ErrKey], [ErrCorrupt], [ErrReadOnly],
// [ErrBusy], [ErrDiskFull], [ErrIO].
func Open(ctx context.Context, path string, config *Config) (*Extension, error) {
	return OpenWith(ctx, path, config, memory.Options{})
}

// OpenWith is [Open] for the packages of this module, which choose how the file is
// opened.
func OpenWith(ctx context.Context, path string, config *Config, opts memory.Options) (*Extension, error) {
	cfg, err := config.WithDefaults()
	if err != nil {
		return nil, err
	}
	file := opts.File
	x := &Extension{cfg: cfg, onDemandNights: opts.OnDemandNights, redactor: memory.NewRedactor(memory.RedactOptions(cfg.Redaction)), missed: make(map[missed]fault)}
	if err := x.guard(); err != nil {
		return nil, err
	}
	cfg = x.cfg
	file.Now, file.ReadOnly, file.OnFault = cfg.Now, cfg.ReadOnly, x.report
	file.Key, file.Waiting = cfg.Key, x.announceWaiting
	db, err := schema.Open(ctx, path, &file)
	if err != nil {
		return nil, err
	}
	x.db = db
	if x.captures, err = newCaptures(cfg.Now, x); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	x.captures.stamp = x.stamp
	if x.own, err = ownwords.NewViews(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	options := recall.Options{Weights: cfg.Ranking.Weights, Scorer: cfg.Ranking.Scorer, CandidateFactor: cfg.Ranking.CandidateFactor, Retention: cfg.Ranking.Retention, Planner: cfg.Ranking.Planner}
	if cfg.Embedding.Embedder != nil {
		x.vectors, err = embed.New(db, cfg.Embedding.Embedder, embed.Options{
			Model: cfg.Embedding.Model, Dims: cfg.Embedding.Dims, CallsPerMinute: cfg.Embedding.CallsPerMinute,
			OnError: func(err error) { x.report("embed", err) },
		})
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		options.Vectors.Embedder = x.vectors
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
	if err := x.mem.Cycles.Load(ctx, db); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	x.reader = x.newReader()
	if x.runner, err = x.newRunner(); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	if err := x.tellLosses(ctx); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	if err := x.resumeErasures(ctx); err != nil {
		return nil, errors.Join(err, x.Close(ctx))
	}
	if !cfg.NoBackground {
		if x.behind, err = startBackground(ctx, x); err != nil {
			return nil, errors.Join(err, x.Close(ctx))
		}
	}
	return x, nil
}

// closeWithin is how long Close waits when its context has no deadline.
const closeWithin = 5 * time.Second

// Close finishes what is in flight within ctx's deadline, or 5 s without one,
// and closes the file. What waits is durable and goes on at the next Open. A
// cancelled context does not cut it short: that is when programs close.
// Closing again is fine.
//
// The error names what had not ended by then: a handler of the bus, a call to a
// model, a transaction. It goes on behind if the program does; if not, the file
// holds each transaction as a whole or not at all, everything acknowledged is in
// it or in its log, which stays beside it, and the next Open takes up the work.
func (x *Extension) Close(ctx context.Context) error {
	x.closed.Store(true)
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(closeWithin)
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	// The nights before the bus, which they use. The file last: everything uses it.
	errs := []error{x.erasures.stop(ctx), x.behind.stop(ctx), x.bus.Close(ctx)}
	if x.vectors != nil {
		errs = append(errs, x.vectors.Stop(ctx))
	}
	x.searcher.Close()
	return errors.Join(append(errs, x.db.CloseWithin(ctx))...)
}

// errIfClosed returns [ErrClosed] once Close has begun.
func (x *Extension) errIfClosed() error {
	if x.closed.Load() {
		return ErrClosed
	}
	return nil
}

// Parts are the parts of the memory, for the packages of this module. Hosts have
// no use for them.
func (x *Extension) Parts() *memory.Memory { return x.mem }

// Bus is the event bus of the memory. What is published on user.message,
// agent.response and tool.result is remembered, in the same transaction; a
// host can subscribe to everything, with a durable position for each name.
func (x *Extension) Bus() eventbus.Bus { return hostBus{x.bus, x.captures, x.mem} }

// Session gives the memory as one conversation of one user sees it. It
// returns an [*InvalidError] naming the field for a scope without a user, or
// with a label that holds a credential.
func (x *Extension) Session(scope Scope) (*Session, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := x.redactor.Labels(scope); err != nil {
		return nil, err
	}
	s := &Session{ext: x, scope: scope, own: x.captures.turn(scope, nil), shown: &blocks{}, talk: &talk{}}
	s.tools = tools.New(s.toolDeps(), x.cfg.Tools...)
	return s, nil
}

// Recall searches one user's memory and explains each result. It writes
// nothing, and so counts as no use of what it finds. The scope's session and
// agent do not restrict it; the query's do. Unless a time is asked about, what is
// no longer so ranks below the claim that holds instead, if both are found.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Recall(ctx context.Context, scope Scope, q Query) (*Answer, error) {
	answer, err := x.recall(ctx, scope, q)
	if err != nil || !q.AsOf.IsZero() || q.Plan != nil && len(q.Plan.Spans) > 0 {
		return answer, err
	}
	return answer, x.presentFirst(ctx, scope, answer)
}

// recall is the search of [Extension.Recall], in the order of its own scores.
func (x *Extension) recall(ctx context.Context, scope Scope, q Query) (*Answer, error) {
	q.Cycle = cmp.Or(q.Cycle, x.Cycle(scope))
	return x.searcher.Search(ctx, scope, q)
}

// Why says for one memory why a query does, or does not, bring it back: what
// keeps it out, that no arm proposed it, or its place and signals beside those
// of the last result that was returned. The places are those of [Extension.Recall].
//
// Errors: those of [Extension.Recall]; [ErrNotFound] for an id that is not in
// this scope.
func (x *Extension) Why(ctx context.Context, scope Scope, q Query, id string) (*Explanation, error) {
	q.Cycle = cmp.Or(q.Cycle, x.Cycle(scope))
	e, err := x.searcher.Why(ctx, scope, q, id)
	if err != nil || e.Outcome != recall.Returned && e.Above == nil {
		return e, err
	}
	q.Wait = true // as Why does
	answer, err := x.Recall(ctx, scope, q)
	if err != nil {
		return nil, err
	}
	for i := range answer.Results {
		r := &answer.Results[i]
		if e.Above != nil {
			e.Above = r // the last
		}
		if r.Memory.ID == e.Memory.ID {
			e.Result, e.Reason = r, fmt.Sprintf("it is result %d of %d", r.Rank, len(answer.Results))
		}
	}
	return e, nil
}
