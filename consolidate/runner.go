package consolidate

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// What makes a run happen.
const (
	CauseNight   = "night"   // the schedule; uses up the local day
	CauseManual  = "manual"  // somebody asked
	CauseTrigger = "trigger" // enough has happened
)

// DefaultRetirementCap is the share of the derived memories that a day may
// take out of search.
const DefaultRetirementCap = 0.05

// NightLease is the lease that lets one run at a time write to a database.
const NightLease = "night"

// The lease is short, so that a killed process does not keep the next run from
// starting.
const (
	leaseTTL  = time.Second
	heartbeat = leaseTTL / 4
)

const nightActor = "night"

// RunnerOptions say how nights are run. The zero value is the default.
type RunnerOptions struct {
	// Stages in the order they run. Default [DefaultStages].
	Stages []Stage
	// RetirementCap is the share of the derived memories, 0–1, that a day may
	// take out of search. Default nil: [DefaultRetirementCap].
	RetirementCap *float64
	// Retention says how memories fade. Default nil: [recall.DefaultRetention].
	Retention recall.RetentionPolicy
	// Now is the clock that forgetting is measured by. Default the database's.
	Now func() time.Time
	// Model is asked by the stages that need one; without it they do what they
	// can. Default none.
	Model llms.Model
	// Budget bounds what a run may ask of the model.
	Budget Budget
	// Prices turn tokens into costs. Default zero: costs are not known.
	Prices Prices
	// CallTimeout is how long one call of the model may take. Default
	// [DefaultCallTimeout].
	CallTimeout time.Duration
	// Redact rewrites every text of the model's answers before it is used, and
	// of what a host's own stages propose before it is looked at; an error of it
	// fails the stage, and nothing of that batch is done. Default: nothing is
	// rewritten.
	Redact schema.Redact
	// Location is the zone of users who have none of their own: dates in
	// prompts are local. Default UTC.
	Location *time.Location
	// Progress is called before each stage, as a stage gets on, and once at the
	// end with StagesDone = Stages. Default none.
	Progress func(Progress)
	// Holder names this runner in the lease. Default a random id.
	Holder string
}

// Progress is how far a run has got.
type Progress struct {
	Stage              string // at work; "" at the end
	Stages, StagesDone int
	Steps, StepsDone   int // within the stage; 0 when it does not know
}

// DefaultStages is the list a night goes through. A host that adds a stage
// inserts it before the last, so that what it writes is not pruned unseen.
func DefaultStages() []Stage {
	return []Stage{Decay{}, Extract{}, Conflict{}, Entities{}, Reflect{}, Prune{}}
}

// Trigger is a [Stage] that can be worth a run between nights.
type Trigger interface {
	Stage
	// Due says whether it has something to do for a user now.
	Due(ctx context.Context, s *schema.Snapshot, userID int64) (Urgency, error)
}

// Urgency is how soon a [Trigger] wants a run.
type Urgency int

// The urgencies.
const (
	NotDue   Urgency = iota
	DueLater         // six hours after the last run of any cause
	DueNow           // at once, unless that run failed or was of no use to the stage
)

// triggerPause is how long after a run of any cause the next one can be
// triggered, so that a busy user does not cause runs all day, nor a model that is
// of no use.
const triggerPause = 6 * time.Hour

// triggered reports whether a stage has reason not to wait for the night.
func (r *Runner) triggered(ctx context.Context, userID int64) (due bool, err error) {
	if r.opts.Model == nil {
		return false, nil
	}
	err = r.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		last, err := s.LastRun(ctx, userID)
		if err != nil && !isNotFound(err) {
			return err
		}
		paused := err == nil && r.opts.Now().Sub(last.StartedAt.Time) < triggerPause
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

// askDue asks a trigger, which may be the host's.
func askDue(ctx context.Context, t Trigger, s *schema.Snapshot, userID int64) (urgency Urgency, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &StageError{Stage: t.Name(), Err: &PanicError{Value: p, Stack: debug.Stack()}}
		}
	}()
	return t.Due(ctx, s, userID)
}

// usefulTo reports that nothing of a stage failed in a run.
func usefulTo(run *schema.Run, stage string) bool {
	report, err := Recorded(run)
	return err == nil && run.State != "failed" && !slices.ContainsFunc(report.Stages, func(s StageReport) bool {
		return s.Name == stage && (s.Error != "" || s.Counts["unusable"] > 0 || s.OutOfBudget)
	})
}

// Runner runs nights over the users of one database, one at a time: a second
// call waits for the first. It is safe for concurrent use.
type Runner struct {
	db       *schema.DB
	searcher *recall.Searcher
	opts     RunnerOptions
	share    float64
	turn     chan struct{} // held by the run that goes on
}

// NewRunner makes a runner. searcher is handed to the stages and may be nil.
//
// Errors: [*schema.InvalidError] for a cap outside 0–1 and for a stage without
// a name or with another's.
func NewRunner(db *schema.DB, searcher *recall.Searcher, opts RunnerOptions) (*Runner, error) {
	r := &Runner{db: db, searcher: searcher, opts: opts, share: DefaultRetirementCap, turn: make(chan struct{}, 1)}
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
	if r.opts.CallTimeout <= 0 {
		r.opts.CallTimeout = DefaultCallTimeout
	}
	if r.opts.Location == nil {
		r.opts.Location = time.UTC
	}
	if r.opts.Holder == "" {
		r.opts.Holder = uuid.NewString()
	}
	return r, nil
}

// Run consolidates one user's memory now. It does not use up the local day. A
// user nothing is known of gets an empty report.
//
// What is erased while it runs is left out: the stage at work begins again without it.
//
// A stage that fails does not keep the others from running: the run ends as
// failed, and the error joins one [*StageError] for each. The report is there
// beside it.
//
// Errors: [*schema.InvalidError] for the scope or cause; [schema.ErrConflict]
// while another process runs a night on this database; [*StageError]; the
// database's errors; the context's error. A run that was cut off is taken up
// by the next one of the same cause.
func (r *Runner) Run(ctx context.Context, scope schema.Scope, cause string) (*Report, error) {
	return r.run(ctx, scope, cause, "")
}

// RunNight consolidates one user's memory for a local day, YYYY-MM-DD. When it
// ends well the day and all before it count as consolidated. A day that does
// already gives an empty report.
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
	return report, err
}

// alone runs fn while nobody else runs a night on this database, and again when an
// erasure came in between.
func (r *Runner) alone(ctx context.Context, scope schema.Scope, fn func(*schema.Lease) error) (err error) {
	if err := scope.Validate(); err != nil {
		return err
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for range maxSeized {
		if err = r.leased(ctx, fn); !errors.Is(err, errSeized) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// maxSeized is how often a run is begun, one erasure after the other, before it is
// left to the next night.
const maxSeized = 8

// leased runs fn under the lease.
func (r *Runner) leased(ctx context.Context, fn func(*schema.Lease) error) error {
	lease, err := r.acquire(ctx)
	if err != nil {
		return err
	}
	stop := keep(ctx, lease)
	defer func() {
		stop()
		_ = lease.Release(context.WithoutCancel(ctx)) // it runs out by itself
	}()
	return fn(lease)
}

// acquire takes the lease. Somebody who was killed holds it no longer than its
// ttl, which is worth waiting for; so is the end of an erasure.
func (r *Runner) acquire(ctx context.Context) (*schema.Lease, error) {
	for waited := time.Duration(0); ; waited += heartbeat {
		lease, err := r.db.AcquireLease(ctx, NightLease, r.opts.Holder, leaseTTL)
		if !errors.Is(err, schema.ErrConflict) || waited > leaseTTL && !r.erasing(ctx) {
			return lease, err
		}
		select {
		case <-time.After(heartbeat):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// erasing reports whether an erasure has the lease.
func (r *Runner) erasing(ctx context.Context) (held bool) {
	err := r.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		held, err = s.HeldByErasure(ctx, NightLease)
		return err
	})
	return held && err == nil
}

// keep renews the lease until stop is called.
func keep(ctx context.Context, lease *schema.Lease) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if errors.Is(lease.Renew(ctx), schema.ErrConflict) {
					return // lost: the next transaction finds out by its term
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
