package consolidate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
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
	allowance  int // what may still be pruned, as of the stage being applied
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
	n.input = &Input{DB: r.db, Searcher: r.searcher, Scope: scope, Now: r.opts.Now(), RetirementCap: r.share}
	err = r.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		n.input.UserID, err = s.UserID(ctx, scope)
		return err
	})
	if err != nil || n.input.UserID == 0 {
		return false, err
	}
	err = r.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
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
	err := tx.Row(ctx, `SELECT id, uid, stages FROM runs
		WHERE user_id = ? AND state = 'running' AND cause = ? AND local_day = ? ORDER BY id DESC LIMIT 1`,
		[]any{n.input.UserID, n.cause, n.day}, &n.input.RunID, &n.report.RunID, &stages)
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
	_, err = tx.Exec(ctx, `UPDATE runs SET state = 'failed', finished_at = ?, error = 'was cut off; a later run went on'
		WHERE user_id = ? AND state = 'running' AND id <> ?`, schema.At(n.input.Now), n.input.UserID, n.input.RunID)
	return err
}

// stages runs what is left of the list and closes the run.
func (n *night) stages(ctx context.Context) error {
	list := n.runner.opts.Stages
	var failed []error
	for i, stage := range list {
		if n.finished(stage.Name()) {
			continue
		}
		n.runner.opts.Progress(stage.Name(), i, len(list))
		started := time.Now()
		n.input.counts = make(map[string]int)
		proposals, err := propose(ctx, stage, n.input)
		if ctx.Err() != nil {
			return ctx.Err() // stays running: the next run takes it up
		}
		report := StageReport{Name: stage.Name(), Counts: n.input.counts}
		if err == nil {
			err = n.apply(ctx, &report, proposals, started)
		}
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, schema.ErrConflict) {
				return err
			}
			failed = append(failed, &StageError{Stage: stage.Name(), Err: err})
			report = StageReport{Name: stage.Name(), Took: time.Since(started), Error: err.Error()}
			n.report.Stages = append(n.report.Stages, report)
		}
	}
	n.runner.opts.Progress("", len(list), len(list))
	return n.close(ctx, errors.Join(failed...))
}

// finished reports whether a stage was applied before the run was cut off.
func (n *night) finished(stage string) bool {
	for _, s := range n.report.Stages {
		if s.Name == stage && s.Error == "" {
			return true
		}
	}
	return false
}

// apply checks and carries out a stage's proposals and writes their fates into
// the ledger, all in one transaction: either a stage is done and known to be,
// or nothing of it happened.
func (n *night) apply(ctx context.Context, report *StageReport, proposals []Proposal, started time.Time) error {
	var stages []StageReport
	err := n.runner.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		if err := tx.CheckLease(ctx, n.lease); err != nil {
			return err
		}
		if n.allowance, err = allowance(ctx, tx, n.input); err != nil {
			return err
		}
		for _, p := range proposals {
			outcome := Outcome{Kind: p.Kind(), Memory: p.MemoryUID(), Fate: Applied}
			if err := p.apply(ctx, tx, n); err != nil {
				reason, ok := rejection(err)
				if !ok {
					return err
				}
				outcome.Fate, outcome.Reason = Rejected, reason
			}
			report.Outcomes = append(report.Outcomes, outcome)
		}
		report.Took = time.Since(started)
		stages = append(append(stages, n.report.Stages...), *report)
		return n.record(ctx, tx, stages, "running", "")
	})
	if err == nil {
		n.report.Stages = stages
	}
	return err
}

func (n *night) record(ctx context.Context, tx *schema.Tx, stages []StageReport, state, failure string) error {
	ledger, err := json.Marshal(append([]StageReport{}, stages...))
	if err != nil {
		return err
	}
	var finished schema.Time
	if state != "running" {
		finished = schema.At(n.runner.opts.Now())
	}
	_, err = tx.Exec(ctx, "UPDATE runs SET stages = ?, state = ?, finished_at = ?, error = ? WHERE id = ?",
		string(ledger), state, finished, failure, n.input.RunID)
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
		if err := tx.CheckLease(ctx, n.lease); err != nil {
			return err
		}
		if err := n.record(ctx, tx, n.report.Stages, n.report.State, reason); err != nil {
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
