package consolidate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ebbmem/ebb/schema"
)

// night is one run in progress.
type night struct {
	runner     *Runner
	lease      *schema.Lease
	cause, day string
	report     *Report
	input      *Input
	account    *account
	allowance  int                 // what may still be pruned, as of the batch being applied
	active     map[schema.Kind]int // memories, as far as counted for it
}

func (n *night) actor() schema.Actor {
	return schema.Actor{Name: nightActor, RunID: n.input.RunID}
}

// begin opens the run in the ledger, or takes up one that was cut off. It
// reports false when there is nothing to do: the user is not known, or the
// local day is done.
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
		if err := tx.CheckLease(ctx, n.lease); err != nil {
			return err
		}
		if n.day != "" {
			var through string
			if err := tx.Row(ctx, "SELECT nights_through FROM users WHERE id = ?", []any{n.input.UserID}, &through); err != nil {
				return err
			}
			if through >= n.day {
				return nil
			}
		}
		proceed = true
		return n.open(ctx, tx)
	})
	return proceed && err == nil, err
}

// open finds the run to take up or writes a new row. The lease is ours, so
// every run still called running was cut off.
func (n *night) open(ctx context.Context, tx *schema.Tx) error {
	var stages string
	var used Usage
	n.report.Stages, n.report.Resumed = nil, false
	err := tx.Row(ctx, `SELECT id, uid, stages, calls, input_tokens, output_tokens, cost, faults FROM runs
		WHERE user_id = ? AND state = 'running' AND cause = ? AND local_day = ? ORDER BY id DESC LIMIT 1`,
		[]any{n.input.UserID, n.cause, n.day}, &n.input.RunID, &n.report.RunID, &stages,
		&used.Calls, &used.InputTokens, &used.OutputTokens, &used.Cost, &used.Faults)
	switch {
	case err == nil:
		n.report.Resumed = true
		if err := json.Unmarshal([]byte(stages), &n.report.Stages); err != nil {
			return fmt.Errorf("the ledger of run %s: %w", n.report.RunID, err)
		}
	case errors.Is(err, sql.ErrNoRows):
		uid, err := uuid.NewV7()
		if err != nil {
			return err
		}
		n.report.RunID = uid.String()
		err = tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, local_day, state, started_at) VALUES (?, ?, ?, ?, 'running', ?) RETURNING id",
			[]any{n.report.RunID, n.input.UserID, n.cause, n.day, schema.At(n.input.Now)}, &n.input.RunID)
		if err != nil {
			return err
		}
	default:
		return err
	}
	n.account = newAccount(n.runner.opts.Budget, n.runner.opts.Prices, used)
	_, err = tx.Exec(ctx, `UPDATE runs SET state = 'failed', finished_at = ?, error = 'was cut off; a later run went on'
		WHERE user_id = ? AND state = 'running' AND id <> ?`, schema.At(n.input.Now), n.input.UserID, n.input.RunID)
	return err
}

// stages runs what is left of the list and closes the run.
func (n *night) stages(ctx context.Context) error {
	list := n.runner.opts.Stages
	if n.runner.opts.Model != nil {
		n.input.Model = &Asker{model: n.runner.opts.Model, account: n.account, timeout: n.runner.opts.CallTimeout, pause: time.Second, redact: n.runner.opts.Redact}
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
		w := &work{night: n, report: report, started: time.Now(), before: n.account.usage(), counts: maps.Clone(report.Counts)}
		if !ours(stage) {
			w.redact = n.runner.opts.Redact
		}
		err := propose(ctx, stage, n.input, w.apply)
		if err == nil {
			err = w.refused // which the stage should have returned
		}
		if errors.Is(err, ErrBudget) {
			report.OutOfBudget, err = true, nil
		}
		report.Done, report.Error = true, ""
		if err != nil {
			report.Error = err.Error()
		}
		if cut := ctx.Err(); cut != nil {
			report.Done, report.Error = false, ""
			report.Counts = w.counts                // whatever was counted since is counted again by the run that goes on
			_ = w.close(context.WithoutCancel(ctx)) // what it cost; the run stays running, and the next takes it up
			return cut
		}
		if closing := w.close(ctx); closing != nil {
			return closing
		}
		if err != nil {
			if errors.Is(err, errTakenOver) {
				return err
			}
			failed = append(failed, &StageError{Stage: stage.Name(), Err: err})
		}
	}
	n.runner.opts.Progress(Progress{Stages: len(list), StagesDone: len(list)})
	return n.close(ctx, errors.Join(failed...))
}

// reportOf finds the report of a stage that was cut off, or starts one. A
// stage that failed has its turn again.
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

// work is one stage at work.
type work struct {
	night   *night
	report  *StageReport
	started time.Time
	before  Usage          // of the run, when the stage began or was last written down
	counts  map[string]int // as of the last batch that was applied

	redact  schema.Redact // of what is proposed; nil: it was redacted before
	refused error         // by it
}

// errTakenOver means that the lease is another's: this run must not write.
var errTakenOver = fmt.Errorf("another process took the run over: %w", schema.ErrConflict)

// checked compares the lease's term inside the transaction.
func (n *night) checked(ctx context.Context, tx *schema.Tx) error {
	err := tx.CheckLease(ctx, n.lease)
	if errors.Is(err, schema.ErrConflict) {
		return errTakenOver
	}
	return err
}

// apply checks and carries out proposals and writes their fates into the
// ledger, all in one transaction: either a batch is done and known to be, or
// nothing of it happened.
func (w *work) apply(ctx context.Context, proposals ...Proposal) ([]Outcome, error) {
	if len(proposals) == 0 {
		return nil, nil
	}
	proposals, err := redacted(ctx, proposals, w.redact)
	if err != nil {
		w.refused = err
		return nil, err
	}
	n, before := w.night, w.report.Outcomes
	var outcomes []Outcome
	err = n.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		outcomes = outcomes[:0]
		if err := n.checked(ctx, tx); err != nil {
			return err
		}
		if n.allowance, err = allowance(ctx, tx, n.input); err != nil {
			return err
		}
		n.active = make(map[schema.Kind]int)
		for _, p := range proposals {
			outcome, err := p.apply(ctx, tx, n)
			if err != nil {
				reason, ok := rejection(err)
				if !ok {
					return err
				}
				outcome = Outcome{Kind: p.Kind(), Memory: p.MemoryUID(), Fate: Rejected, Reason: reason}
			}
			outcomes = append(outcomes, outcome)
		}
		w.report.Outcomes = slices.Concat(before, shown(outcomes))
		return w.record(ctx, tx)
	})
	if err != nil {
		w.report.Outcomes = before
		return nil, err
	}
	w.counts = maps.Clone(w.report.Counts)
	return outcomes, nil
}

// shown leaves out the outcomes nobody asks about: bookkeeping.
func shown(outcomes []Outcome) []Outcome {
	var list []Outcome
	for _, o := range outcomes {
		if o.Kind != "" {
			list = append(list, o)
		}
	}
	return list
}

// close writes a stage's report down.
func (w *work) close(ctx context.Context) error {
	return w.night.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if err := w.night.checked(ctx, tx); err != nil {
			return err
		}
		return w.record(ctx, tx)
	})
}

// record brings the stage's report and the ledger up to date.
func (w *work) record(ctx context.Context, tx *schema.Tx) error {
	n := w.night
	used := n.account.usage()
	w.report.Usage = w.report.Usage.plus(used.minus(w.before))
	w.before = used
	w.report.Took += time.Since(w.started)
	w.started = time.Now()
	if n.input.Model != nil {
		for _, prompt := range n.input.Model.takePrompts() {
			if !slices.Contains(w.report.Prompts, prompt) {
				w.report.Prompts = append(w.report.Prompts, prompt)
			}
		}
	}
	return n.record(ctx, tx, "running", "")
}

func (n *night) record(ctx context.Context, tx *schema.Tx, state, failure string) error {
	ledger, err := json.Marshal(append([]StageReport{}, n.report.Stages...))
	if err != nil {
		return err
	}
	var finished schema.Time
	if state != "running" {
		finished = schema.At(n.runner.opts.Now())
	}
	u := n.account.usage()
	n.report.Usage = u
	_, err = tx.Exec(ctx, `UPDATE runs SET stages = ?, state = ?, finished_at = ?, error = ?,
		calls = ?, input_tokens = ?, output_tokens = ?, cost = ?, faults = ? WHERE id = ?`,
		string(ledger), state, finished, failure, u.Calls, u.InputTokens, u.OutputTokens, u.Cost, u.Faults, n.input.RunID)
	return err
}

// close ends the run, and the local day when it went well.
func (n *night) close(ctx context.Context, failure error) error {
	n.report.State = "done"
	reason := ""
	if failure != nil {
		n.report.State, reason = "failed", failure.Error()
	}
	err := n.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if err := n.checked(ctx, tx); err != nil {
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
		_, err := tx.Exec(ctx, "UPDATE users SET nights_through = max(nights_through, ?) WHERE id = ?", n.day, n.input.UserID)
		return err
	})
	if err != nil {
		n.report.State = "running"
	}
	return errors.Join(failure, err)
}
