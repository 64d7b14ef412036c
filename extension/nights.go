package extension

import (
	"context"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/undo"
)

// newRunner returns the runner of nights that the config describes.
func (x *Extension) newRunner() (r *consolidate.Runner, err error) {
	options := consolidate.RunnerOptions{
		Now: x.cfg.Now, Location: x.cfg.Location, Retention: x.cfg.Ranking.Retention, Reconcile: x.cfg.Ranking.Reconcile,
		Progress: func(p consolidate.Progress) { x.hook("OnProgress", func() { x.cfg.Hooks.OnProgress(p) }) },
		Model:    x.cfg.Model, Budget: x.cfg.Night.Budget, Prices: x.cfg.Night.Prices, CallTimeout: x.cfg.Night.ModelTimeout, Redact: x.redactor.Text,
		Observe: x.mem.Observe,
	}
	if x.cfg.Night.Stages != nil {
		var stages []consolidate.Stage
		if err := memory.CallHost("Config.Night.Stages", func() error { stages = x.cfg.Night.Stages(consolidate.DefaultStages()); return nil }); err != nil {
			return nil, err
		}
		options.Stages = x.asDescribed(stages)
	}
	return r, memory.CallHost("Config.Night.Stages", func() (err error) { r, err = consolidate.NewRunner(x.db, x.searcher, options); return err })
}

// asDescribed replaces the block descriptions in stages by those of
// Config.CoreMemory.Blocks, so that the host's rules for a block apply to every
// stage. A block that the config does not have is not written.
func (x *Extension) asDescribed(stages []consolidate.Stage) []consolidate.Stage {
	all := make([]consolidate.Stage, len(stages))
	copy(all, stages)
	for i := range all {
		if r, ok := all[i].(consolidate.Reflect); ok && r.Lessons != nil {
			r.Lessons = x.spec(r.Lessons.Name)
			all[i] = r
		}
	}
	return all
}

// Consolidate runs a night for one user now, independent of the schedule, and
// reports what it did. The local day's scheduled night still takes place. It waits for a
// night that this process runs. If ctx is cancelled, the run ends between two steps and
// the next call resumes it.
//
// If a stage fails, the others still run: the report is returned along with the
// error.
//
// Errors: [*InvalidError] for the scope, [ErrReadOnly], [ErrConflict] while another
// process runs a night on this file, [*StageError] for each failed stage, the
// database's errors, the context's error.
func (x *Extension) Consolidate(ctx context.Context, scope Scope) (*Report, error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	report, err := x.runner.Run(ctx, scope, consolidate.CauseManual)
	x.announceRun(context.WithoutCancel(ctx), scope, report, err)
	return report, err
}

// ConsolidateDry reports what [Extension.Consolidate] would do: every proposal with
// its outcome, reason and text. It works on a temporary copy, see [schema.DB.Scratch],
// and changes nothing else. The model is called, and costs, as in a real night.
//
// Errors: those of [Extension.Consolidate]; [ErrDiskFull] if there is no room for a
// copy.
func (x *Extension) ConsolidateDry(ctx context.Context, scope Scope) (*Report, error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	return x.runner.DryRun(ctx, scope)
}

// Undo reverts everything a run did, except for changes that later ones depend on,
// which the result lists. runID is the run's public id. The local day still counts
// as consolidated, and the run stays in the ledger as undone. Imported runs can be
// undone too. What a message or the host changed is undone at once; to undo a night it
// waits for a night that this process runs, until ctx ends.
//
// Errors: [*InvalidError] for the scope, [ErrReadOnly], [ErrNotFound] for a run
// that is not this user's, [ErrConflict] for a run that is undone already, while the user
// has an erasure that has not ended and, for a night, while another process runs one; the
// context's error.
func (x *Extension) Undo(ctx context.Context, scope Scope, runID string) (*undo.Result, error) {
	scope = x.db.Complete(scope)
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	undone, err := x.runner.Rollback(ctx, scope, runID)
	if err != nil {
		return nil, err
	}
	x.announceRun(context.WithoutCancel(ctx), scope, &Report{RunID: runID, State: "undone"}, nil)
	return undone, nil
}

// nightClock returns the clock that decides which nights are due. Without a
// schedule no user's first night is due.
func (x *Extension) nightClock() memory.NightClock {
	at, _ := time.Parse("15:04", x.cfg.Night.Time) // validated with the config
	return memory.NightClock{
		Now: x.cfg.Now(), Location: x.cfg.Location, First: !x.cfg.Night.NoSchedule && !x.cfg.NoBackground,
		At: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute,
	}
}

// States of a [Run] that has not ended.
const (
	RunRunning     = "running"
	RunInterrupted = "interrupted"
)

// Runs lists one user's runs, newest first, at most limit; limit 0 lists all. An
// unknown user has none. A run whose process has died is [RunInterrupted]; the next
// run with the same cause resumes it. [RunReport] returns what a run did.
//
// Errors: [*InvalidError] for the scope and a negative limit, the database's
// errors, the context's error.
func (x *Extension) Runs(ctx context.Context, scope Scope, limit int) (runs []Run, err error) {
	if limit < 0 {
		return nil, &InvalidError{Field: "limit", Reason: "must not be negative (0 means all)"}
	}
	err = x.db.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		if runs, err = s.Runs(ctx, userID, limit); err != nil {
			return err
		}
		held, err := s.LeaseHeld(ctx, x.db.NightLease(userID))
		for i := range runs {
			if runs[i].State == RunRunning && !held {
				runs[i].State = RunInterrupted
			}
		}
		return err
	})
	return runs, err
}

// RunReport decodes the report of a run from its ledger entry. It lacks the texts
// of proposals, which the ledger does not keep. An error means that the entry is
// damaged.
func RunReport(run *Run) (*Report, error) { return consolidate.Recorded(run) }

// announceRun publishes the end of a run on the bus, if it began and has ended.
func (x *Extension) announceRun(ctx context.Context, scope Scope, report *Report, failure error) {
	if report == nil || report.RunID == "" || report.State == RunRunning {
		return
	}
	told := eventbus.Consolidated{RunID: report.RunID, Cause: report.Cause, State: report.State}
	if failure != nil {
		told.Error = failure.Error()
	}
	event, err := eventbus.New(eventbus.TopicMemoryConsolidated, scope, schema.OriginUnknown, told)
	if err == nil {
		err = x.bus.Report(ctx, event)
	}
	if err != nil {
		x.report("night", err)
	}
}

// consolidateForTool implements the memory_consolidate tool, which returns a
// sentence.
func (x *Extension) consolidateForTool(scope Scope) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		report, err := x.Consolidate(ctx, scope)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Consolidation done in %s: %s", report.Took.Round(time.Millisecond), report.Summary()), nil
	}
}
