package consolidate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

// night is a run in progress.
type night struct {
	runner     *Runner
	lease      *schema.Lease
	as         string // the audit's actor; "" is the night
	cause, day string
	report     *Report
	input      *Input
	account    *ask.Account
	allowance  *int           // how many memories may still be pruned in this batch; nil: not counted yet
	left       map[string]int // memories or relations by what bounds their number, as far as counted for this batch

	similar map[string]*reconcile.Similar // to the claims of this batch, by content
}

func (n *night) actor() schema.Actor {
	return schema.Actor{Name: cmp.Or(n.as, nightActor), RunID: n.input.RunID}
}

// begin starts a run or continues an interrupted one. It returns false if the user
// is not known or the local day is done.
func (n *night) begin(ctx context.Context, scope schema.Scope) (proceed bool, err error) {
	r := n.runner
	n.report = &Report{Cause: n.cause, LocalDay: n.day, State: "running"}
	n.input = &Input{Cause: n.cause, DB: r.db, Searcher: r.searcher, Scope: scope, Now: r.opts.Now(), Location: r.opts.Location, RetirementCap: r.share, Retention: r.opts.Retention}
	err = r.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		if n.input.UserID, err = s.UserID(ctx, scope); err != nil || n.input.UserID == 0 {
			return err
		}
		user, err := s.UserByID(ctx, n.input.UserID)
		if err != nil {
			return err
		}
		if zone, err := time.LoadLocation(user.TimeZone); err == nil && user.TimeZone != "" {
			n.input.Location = zone
		}
		return nil
	})
	if err != nil || n.input.UserID == 0 {
		return false, err
	}
	err = r.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		proceed = false
		if err := checked(ctx, tx, n.lease); err != nil {
			return err
		}
		if n.day != "" {
			through, err := tx.NightsThrough(ctx, n.input.UserID)
			if err != nil || through >= n.day && !schema.AheadOfClock(through, n.input.Now.In(n.input.Location)) {
				return err
			}
			// A process whose clock is days ahead or behind records other days over this one.
			if done, err := tx.NightDone(ctx, n.input.UserID, n.cause, n.day, n.input.Now); err != nil || done {
				return err
			}
		}
		proceed = true
		return n.open(ctx, tx)
	})
	return proceed && err == nil, err
}

// open continues the interrupted run of this cause and day, or stores a new one.
// Since this process holds the lease, every run marked as running was interrupted.
func (n *night) open(ctx context.Context, tx *schema.Tx) error {
	n.report.Stages, n.report.Resumed = nil, false
	run, err := tx.RunningRun(ctx, n.input.UserID, n.cause, n.day)
	switch {
	case err == nil:
		n.report.Resumed = true
		if err := schema.DecodeStored("the ledger of run "+run.UID, string(run.Stages), &n.report.Stages); err != nil {
			return err
		}
	case isNotFound(err):
		uid, err := uuid.NewV7()
		if err != nil {
			return err
		}
		run = &schema.Run{UID: uid.String(), UserID: n.input.UserID, Cause: n.cause, LocalDay: n.day, StartedAt: schema.At(n.input.Now)}
		if err := tx.StartRun(ctx, run); err != nil {
			return err
		}
	default:
		return err
	}
	n.input.RunID, n.report.RunID = run.ID, run.UID
	n.account = ask.NewAccount(n.runner.opts.Budget, n.runner.opts.Prices, usageOf(run))
	if n.day != "" { // the schedule repeats a failed night every hour
		spent, err := tx.SpentOn(ctx, n.input.UserID, n.cause, n.day, run.ID)
		if err != nil {
			return err
		}
		n.account.Charge(usageOf(spent))
	}
	return tx.FailOtherRuns(ctx, n.input.UserID, run.ID, schema.At(n.input.Now))
}

// stages runs the remaining stages and ends the run.
func (n *night) stages(ctx context.Context) error {
	list := n.runner.opts.Stages
	if n.runner.opts.Model != nil {
		n.input.Model = ask.New(n.runner.opts.Model, n.account, ask.Options{Timeout: n.runner.opts.CallTimeout, Redact: n.runner.opts.Redact})
	}
	var failed []error
	for i, stage := range list {
		report := n.reportOf(stage.Name())
		if report.Done {
			continue
		}
		n.input.report = report
		n.input.progress = func(done, of int) {
			n.runner.opts.Progress(Progress{Stage: stage.Name(), Stages: len(list), StagesDone: i, Steps: of, StepsDone: done})
		}
		n.input.Progress(0, 0)
		w := &stageRun{night: n, report: report, started: time.Now(), before: n.account.Usage(), counts: maps.Clone(report.Counts)}
		if !ours(stage) {
			w.redact = n.runner.opts.Redact
		}
		err := propose(ctx, stage, n.input, w.apply)
		if err == nil {
			err = w.refused // which the stage should have returned
		}
		if errors.Is(err, ask.ErrBudget) {
			report.OutOfBudget, err = true, nil
		}
		report.Done, report.Error = true, ""
		if err != nil {
			report.Error = err.Error()
		}
		if cut := ctx.Err(); cut != nil {
			report.Done, report.Error = false, ""
			report.Counts = w.counts                // the continued run counts the rest again
			_ = w.close(context.WithoutCancel(ctx)) // stores the usage; the run stays running until the next continues it
			return cut
		}
		if closing := w.close(ctx); closing != nil {
			return closing
		}
		if err != nil {
			if errors.Is(err, errTakenOver) || errors.Is(err, errErased) {
				return err
			}
			failed = append(failed, &StageError{Stage: stage.Name(), Err: err})
		}
	}
	n.runner.opts.Progress(Progress{Stages: len(list), StagesDone: len(list)})
	return n.close(ctx, errors.Join(failed...))
}

// reportOf returns the report of an interrupted stage, or a new one. A stage that
// failed runs again.
func (n *night) reportOf(stage string) *StageReport {
	for i := range n.report.Stages {
		r := &n.report.Stages[i]
		if r.Name != stage {
			continue
		}
		if r.Error != "" {
			r.Done = false
		}
		return r
	}
	n.report.Stages = append(n.report.Stages, StageReport{Name: stage})
	return &n.report.Stages[len(n.report.Stages)-1]
}

// stageRun is a running stage.
type stageRun struct {
	night   *night
	report  *StageReport
	started time.Time
	before  ask.Usage      // of the run, when the stage was last stored
	counts  map[string]int // as of the last applied batch

	redact  schema.Redact // for proposals; nil for a stage of this package, which redacts answers
	refused error         // the error of redact
}

// errTakenOver means that another process holds the lease: this run must not
// write.
var errTakenOver = fmt.Errorf("another process took the run over: %w", schema.ErrConflict)

// errErased means that an erasure took the lease and may have erased what the run
// has read. The run starts again and continues after its last batch.
var errErased = fmt.Errorf("an erasure changed what the run had read: %w", schema.ErrConflict)

// checked returns an error if this process lost the lease.
func checked(ctx context.Context, tx *schema.Tx, lease *schema.Lease) error {
	err := tx.CheckLease(ctx, lease)
	if !errors.Is(err, schema.ErrConflict) {
		return err
	}
	erasing, err := tx.HeldByErasure(ctx, lease.Name)
	switch {
	case err != nil:
		return err
	case erasing:
		return errErased
	}
	return errTakenOver
}

// apply checks and carries out proposals and stores their outcomes, in one
// transaction.
func (w *stageRun) apply(ctx context.Context, proposals ...Proposal) ([]Outcome, error) {
	if len(proposals) == 0 {
		return nil, nil
	}
	proposals, err := redacted(ctx, proposals, w.redact)
	if err != nil {
		w.refused = err
		return nil, err
	}
	n, before := w.night, w.report.Outcomes
	n.similar = make(map[string]*reconcile.Similar)
	for _, p := range proposals {
		if add, ok := p.(AddClaim); ok && n.runner.opts.Reconcile != nil {
			n.similar[add.Claim.Content], err = reconcile.Find(ctx, n.input.Searcher, n.runner.opts.Reconcile, n.input.Scope, add.Claim.Content)
			if err != nil {
				return nil, err
			}
		}
	}
	var outcomes []Outcome
	err = n.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		outcomes = outcomes[:0]
		if err := checked(ctx, tx, n.lease); err != nil {
			return err
		}
		n.allowance, n.left = nil, make(map[string]int)
		for _, p := range proposals {
			outcome, err := p.apply(ctx, tx, n)
			if err != nil {
				reason, ok := rejection(err)
				if !ok {
					return err
				}
				outcome = applied(p)
				outcome.Status, outcome.Reason = Rejected, reason
			}
			outcomes = append(outcomes, outcome)
		}
		w.report.Outcomes = slices.Concat(before, reported(outcomes))
		return w.record(ctx, tx)
	})
	if err != nil {
		w.report.Outcomes = before
		return nil, err
	}
	w.counts = maps.Clone(w.report.Counts)
	return outcomes, nil
}

// reported leaves out the outcomes of bookkeeping, which have no kind.
func reported(outcomes []Outcome) []Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return o.Kind == "" })
}

// close stores the stage's report.
func (w *stageRun) close(ctx context.Context) error {
	return w.night.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if err := checked(ctx, tx, w.night.lease); err != nil {
			return err
		}
		return w.record(ctx, tx)
	})
}

// record stores the run with the current report of the stage.
func (w *stageRun) record(ctx context.Context, tx *schema.Tx) error {
	n := w.night
	used := n.account.Usage()
	w.report.Usage = w.report.Usage.Plus(used.Minus(w.before))
	w.before = used
	w.report.Took += time.Since(w.started)
	w.started = time.Now()
	if n.input.Model != nil {
		for _, prompt := range n.input.Model.TakePrompts() {
			if !slices.Contains(w.report.Prompts, prompt) {
				w.report.Prompts = append(w.report.Prompts, prompt)
			}
		}
	}
	return n.record(ctx, tx, "running", "")
}

func (n *night) record(ctx context.Context, tx *schema.Tx, state, failure string) error {
	stages, err := json.Marshal(append([]StageReport{}, n.report.Stages...))
	if err != nil {
		return err
	}
	var finished schema.Time
	if state != "running" {
		finished = schema.At(n.runner.opts.Now())
	}
	u := n.account.Usage()
	n.report.Usage = u
	return tx.SaveRun(ctx, &schema.Run{
		ID: n.input.RunID, Stages: stages, State: state, FinishedAt: finished, Error: failure,
		Calls: int64(u.Calls), InputTokens: int64(u.InputTokens), OutputTokens: int64(u.OutputTokens), Cost: u.Cost, Faults: int64(u.Faults),
	})
}

// close ends the run and, if it succeeded, the local day.
func (n *night) close(ctx context.Context, failure error) error {
	n.report.State = "done"
	reason := ""
	if failure != nil {
		n.report.State, reason = "failed", failure.Error()
	}
	err := n.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if err := checked(ctx, tx, n.lease); err != nil {
			return err
		}
		if err := n.record(ctx, tx, n.report.State, reason); err != nil {
			return err
		}
		if failure != nil {
			return tx.RecordFailure(ctx, nightActor, n.input.UserID, failure)
		}
		if err := tx.ClearFailure(ctx, nightActor, n.input.UserID); err != nil || n.day == "" {
			return err
		}
		return tx.SetNightsThrough(ctx, n.input.UserID, n.day)
	})
	if err != nil {
		n.report.State = "running"
	}
	return errors.Join(failure, err)
}
