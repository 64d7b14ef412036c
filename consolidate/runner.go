package consolidate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// The causes of a run.
const (
	CauseNight   = "night"   // the schedule; completes the local day
	CauseManual  = "manual"  // on request
	CauseTrigger = "trigger" // a [Trigger]
)

// DefaultRetirementCap is the default share of the derived memories that a day
// may take out of search.
const DefaultRetirementCap = 0.05

const (
	// leaseTTL is short so that another process can take over soon after a crash.
	leaseTTL = time.Second
	// acquireInterval is the wait between attempts to get the lease.
	acquireInterval = leaseTTL / 4
)

const nightActor = "night"

// RunnerOptions configure a [Runner]. The zero value is the default.
type RunnerOptions struct {
	// Stages, in order. Default [DefaultStages].
	Stages []Stage
	// RetirementCap is the share of the derived memories, 0–1, that a day may
	// take out of search. Default nil: [DefaultRetirementCap].
	RetirementCap *float64
	// Retention determines how memories fade. Default nil: [retention.Default].
	Retention retention.Policy
	// Reconcile decides what becomes of new claims that are like known ones. Default
	// nil: they are stored.
	Reconcile reconcile.Func
	// Now is the clock that determines what has faded. Default the database's.
	Now func() time.Time
	// Model is asked by the stages that need one. Without it they do what code can.
	// Default none.
	Model llms.Model
	// Budget limits what a run may ask of the model.
	Budget ask.Budget
	// Prices of tokens. Default zero: costs are not known.
	Prices ask.Prices
	// CallTimeout of one call of the model. Default [ask.DefaultCallTimeout].
	CallTimeout time.Duration
	// Redact rewrites every text of the model's answers, and of the proposals of a
	// host's own stages, before it is used. Its error fails the stage, and nothing
	// of the batch is done. Default none.
	Redact schema.Redact
	// Location is the time zone of users without one, for dates in prompts.
	// Default UTC.
	Location *time.Location
	// Progress is called before each stage, during it, and at the end with
	// StagesDone = Stages. Default none.
	Progress func(Progress)
	// Observe is called when a run begins. Default none.
	Observe schema.Observer
}

// Progress is the progress of a run.
type Progress struct {
	Stage              string // current stage; "" at the end
	Stages, StagesDone int
	Steps, StepsDone   int // of the stage; 0 if not known
}

// DefaultStages returns the default stages of a night. A host inserts its own
// before the last, [Prune], or appends one that counts what pruning leaves. The profiles
// Dual, ThreeTier, Cognitive and FourStores have lists of their own: a stage added here
// does not run in them.
func DefaultStages() []Stage {
	return []Stage{Extract{}, Conflict{}, Entities{}, Reflect{}, Prune{}}
}

// Trigger is a [Stage] that may ask for a run between nights.
type Trigger interface {
	Stage
	// Due reports whether the stage has something to do for a user now.
	Due(ctx context.Context, s *schema.Snapshot, userID int64) (Urgency, error)
}

// Urgency is how soon a [Trigger] asks for a run.
type Urgency int

// The urgencies.
const (
	NotDue   Urgency = iota
	DueLater         // six hours after the last run of any cause
	DueNow           // at once, unless that run failed or gave the stage nothing usable
)

// triggerPause is the time after a run of any cause during which none is
// triggered. It keeps a busy user or a failing model from causing runs all day.
const triggerPause = 6 * time.Hour

// Triggered reports whether a stage asks for a run now.
func (r *Runner) Triggered(ctx context.Context, userID int64) (due bool, err error) {
	if r.opts.Model == nil {
		return false, nil
	}
	err = r.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		last, err := s.LastRun(ctx, userID)
		if err != nil && !isNotFound(err) {
			return err
		}
		paused := err == nil && r.opts.Now().Sub(last.StartedAt.Time).Abs() < triggerPause // a run far in the future had a wrong clock
		for _, stage := range r.opts.Stages {
			t, ok := stage.(Trigger)
			if !ok || due {
				continue
			}
			urgency, err := askDue(ctx, t, s, userID)
			if err != nil {
				return err
			}
			due = urgency != NotDue && (!paused || urgency == DueNow && usefulTo(last, t.Name()))
		}
		return nil
	})
	return due, err
}

// askDue calls Due of a trigger, which may be the host's and panic.
func askDue(ctx context.Context, t Trigger, s *schema.Snapshot, userID int64) (urgency Urgency, err error) {
	if broken := hostCall(func() { urgency, err = t.Due(ctx, s, userID) }); broken != nil {
		return NotDue, &StageError{Stage: t.Name(), Err: broken}
	}
	return urgency, err
}

// usefulTo reports whether a stage completed without a failure in a run.
func usefulTo(run *schema.Run, stage string) bool {
	report, err := Recorded(run)
	return err == nil && run.State != "failed" && !slices.ContainsFunc(report.Stages, func(s StageReport) bool {
		return s.Name == stage && (s.Error != "" || s.Counts["unusable"] > 0 || s.OutOfBudget)
	})
}

// Runner runs nights for the users of one database, one at a time. It is safe for
// concurrent use.
type Runner struct {
	db       *schema.DB
	searcher *recall.Searcher
	opts     RunnerOptions
	share    float64
	holder   string        // of the lease
	slot     chan struct{} // held by the current run
}

// NewRunner returns a runner. The stages use searcher, which may be nil.
//
// Errors: [*schema.InvalidError] for a cap outside 0–1, and for stages without a
// name or with equal names.
func NewRunner(db *schema.DB, searcher *recall.Searcher, opts RunnerOptions) (*Runner, error) {
	r := &Runner{db: db, searcher: searcher, opts: opts, share: DefaultRetirementCap, holder: uuid.NewString(), slot: make(chan struct{}, 1)}
	if opts.RetirementCap != nil {
		r.share = *opts.RetirementCap
	}
	if err := schema.ValidUnit("RunnerOptions.RetirementCap", r.share); err != nil {
		return nil, err
	}
	if r.opts.Stages == nil {
		r.opts.Stages = DefaultStages()
	}
	r.opts.Stages = slices.Clone(r.opts.Stages)
	seen := make(map[string]bool)
	for _, s := range r.opts.Stages {
		if s == nil || strings.TrimSpace(s.Name()) == "" || seen[s.Name()] {
			return nil, &schema.InvalidError{Field: "RunnerOptions.Stages", Reason: "hold a stage without a name, or two of one name"}
		}
		seen[s.Name()] = true
	}
	if r.opts.Now == nil {
		r.opts.Now = db.Now
	}
	if r.opts.Progress == nil {
		r.opts.Progress = func(Progress) {}
	}
	r.opts.Location = cmp.Or(r.opts.Location, time.UTC)
	return r, nil
}

// Run consolidates one user's memories now. It does not complete the local day.
// For an unknown user it returns an empty report.
//
// If memories are erased during the run, the current stage starts again without
// them. If a stage fails, the others still run; the run ends as failed, and Run
// returns the report together with one [*StageError] for each failed stage.
//
// Errors: [*schema.InvalidError] for the scope or cause; [schema.ErrConflict]
// while another process runs a night of this file, or of this user of a server; [*StageError]; the
// database's errors; the context's error. The next run of the same cause continues
// an interrupted run.
func (r *Runner) Run(ctx context.Context, scope schema.Scope, cause string) (*Report, error) {
	return r.run(ctx, scope, cause, "")
}

// RunNight consolidates one user's memories for a local day, YYYY-MM-DD. If it
// succeeds, that day and all days before are consolidated. For a consolidated day
// it returns an empty report.
//
// Errors: those of [Runner.Run].
func (r *Runner) RunNight(ctx context.Context, scope schema.Scope, day string) (*Report, error) {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return nil, &schema.InvalidError{Field: "day", Reason: "must be a date such as 2026-03-01"}
	}
	return r.run(ctx, scope, CauseNight, day)
}

func (r *Runner) run(ctx context.Context, scope schema.Scope, cause, day string) (*Report, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{CauseNight, CauseManual, CauseTrigger}, cause) {
		return nil, &schema.InvalidError{Field: "cause", Reason: "is not one of night, manual, trigger"}
	}
	var report *Report
	ctx, done := r.opts.Observe.Begin(ctx, schema.Operation{Name: "night", Scope: scope})
	err := r.alone(ctx, scope, func(lease *schema.Lease) error {
		n := &night{runner: r, lease: lease, cause: cause, day: day}
		started := time.Now()
		proceed, err := n.begin(ctx, scope)
		if err != nil || !proceed {
			report = &Report{Cause: cause, LocalDay: day, State: "done"}
			return err
		}
		err = n.stages(ctx)
		n.report.Took = time.Since(started)
		report = n.report
		return err
	})
	changes := 0
	if report != nil {
		changes = report.Changes()
	}
	done(changes, err)
	return report, err
}

// alone runs fn while no other runner works on this file, or for this user of a server. If
// an erasure interrupts it, it runs fn again.
func (r *Runner) alone(ctx context.Context, scope schema.Scope, fn func(*schema.Lease) error) (err error) {
	if err := scope.Validate(); err != nil {
		return err
	}
	select {
	case r.slot <- struct{}{}:
		defer func() { <-r.slot }()
	case <-ctx.Done():
		return ctx.Err()
	}
	userID, err := schema.Get(ctx, r.db, func(ctx context.Context, s *schema.Snapshot) (int64, error) { return s.UserID(ctx, scope) })
	if err != nil {
		return err
	}
	for range maxErasures {
		if err = r.leased(ctx, r.db.NightLease(userID), fn); !errors.Is(err, errErased) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// maxErasures is how often erasures may interrupt a run before it is left to the
// next night.
const maxErasures = 8

// leased runs fn under the lease of a name.
func (r *Runner) leased(ctx context.Context, name string, fn func(*schema.Lease) error) error {
	lease, err := r.acquire(ctx, name)
	if err != nil {
		return err
	}
	stop := lease.KeepAlive(ctx, func(error) {})
	defer func() {
		stop()
		_ = lease.Release(context.WithoutCancel(ctx)) // it also expires
	}()
	return fn(lease)
}

// acquire takes the lease. It waits for the lease of a killed process to expire,
// and for erasures to end.
func (r *Runner) acquire(ctx context.Context, name string) (*schema.Lease, error) {
	for waited := time.Duration(0); ; waited += acquireInterval {
		lease, err := r.db.AcquireLease(ctx, name, r.holder, leaseTTL)
		if !errors.Is(err, schema.ErrConflict) || waited > leaseTTL && !r.erasing(ctx, name) {
			return lease, err
		}
		select {
		case <-time.After(acquireInterval):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// erasing reports whether an erasure holds the lease.
func (r *Runner) erasing(ctx context.Context, name string) bool {
	held, err := schema.Get(ctx, r.db, func(ctx context.Context, s *schema.Snapshot) (bool, error) { return s.HeldByErasure(ctx, name) })
	return held && err == nil
}
