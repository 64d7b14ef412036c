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

// newRunner makes what runs the nights, as the config says.
func (x *Extension) newRunner() (*consolidate.Runner, error) {
	options := consolidate.RunnerOptions{
		Now: x.cfg.Now, Location: x.cfg.Location, Retention: x.cfg.Ranking.Retention,
		Progress: func(p consolidate.Progress) { x.hook("OnProgress", func() { x.cfg.Hooks.OnProgress(p) }) },
		Model:    x.cfg.Model, Budget: x.cfg.Night.Budget, Prices: x.cfg.Night.Prices, CallTimeout: x.cfg.Night.ModelTimeout, Redact: x.redactor.Text,
	}
	if x.cfg.Night.Stages != nil {
		var stages []consolidate.Stage
		if err := memory.CallHost("Config.Night.Stages", func() error { stages = x.cfg.Night.Stages(consolidate.DefaultStages()); return nil }); err != nil {
			return nil, err
		}
		options.Stages = x.asDescribed(stages)
	}
	return consolidate.NewRunner(x.db, x.searcher, options)
}

// asDescribed has stages that write into core memory take its description from
// Config.CoreMemory.Blocks: whoever made the stage, what a block lets a model do is the
// host's to say. A block that is not there is not written.
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

// Consolidate runs a night for one user now, whatever the schedule says, and
// reports what it did. It does not use up the local day. A cancelled ctx ends
// it between two steps; the next call takes the run up there.
//
// When a stage fails, the others still have their turn: the report is there
// beside the error.
//
// Errors: [*InvalidError] for the scope, [ErrReadOnly], [ErrConflict] while
// another process runs a night on this file, [*StageError] for each stage that
// failed, the database's errors, the context's error.
func (x *Extension) Consolidate(ctx context.Context, scope Scope) (*Report, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	report, err := x.runner.Run(ctx, scope, consolidate.CauseManual)
	if report != nil && report.RunID != "" && report.State != "running" {
		x.announceRun(context.WithoutCancel(ctx), scope, report, err)
	}
	return report, err
}

// ConsolidateDry shows what [Extension.Consolidate] would do: every proposal
// with its fate, its reason and its text. It works on a copy of the file, in a
// folder beside it that is gone when it returns; nothing here changes. The
// model is asked, and costs, as in a real night.
//
// Errors: those of [Extension.Consolidate]; [ErrDiskFull] when there is no room
// for a copy.
func (x *Extension) ConsolidateDry(ctx context.Context, scope Scope) (*Report, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	return x.runner.DryRun(ctx, scope)
}

// Undo takes everything back that a run did, given by its public id, so that
// the memory is what it was before, and says what stayed because something
// later rests on it. The local day stays consolidated, and the run stays in
// the ledger, as undone. A run that came with an export is undone as it would
// have been where it ran.
//
// Errors: [*InvalidError] for the scope, [ErrReadOnly], [ErrNotFound] for a run
// that is not this user's, [ErrConflict] for one that is undone already and
// while another process runs a night.
func (x *Extension) Undo(ctx context.Context, scope Scope, runID string) (*undo.Result, error) {
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

// nightClock says which nights are due. Without a schedule no first night is.
func (x *Extension) nightClock() memory.NightClock {
	at, _ := time.Parse("15:04", x.cfg.Night.Time) // the config was checked
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

// Runs lists the ledger of one user's nights, newest first, at most limit;
// limit 0 lists all. An unknown user has none. A run whose process is gone is
// [RunInterrupted]; the next one of its cause goes on there. [RunReport] reads
// what a run did from its entry.
//
// Errors: [*InvalidError] for the scope and a negative limit, the database's
// errors, the context's error.
func (x *Extension) Runs(ctx context.Context, scope Scope, limit int) (runs []Run, err error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if limit < 0 {
		return nil, &InvalidError{Field: "limit", Reason: "must not be negative (0 means all)"}
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		if runs, err = s.Runs(ctx, userID, limit); err != nil {
			return err
		}
		held, err := s.LeaseHeld(ctx, consolidate.NightLease)
		for i := range runs {
			if runs[i].State == RunRunning && !held {
				runs[i].State = RunInterrupted
			}
		}
		return err
	})
	return runs, err
}

// RunReport reads what a run did from its entry in the ledger, but for the
// texts of its proposals, which are not kept there. The error says that the
// entry is damaged.
func RunReport(run *Run) (*Report, error) { return consolidate.Recorded(run) }

// announceRun reports what became of a run on the bus.
func (x *Extension) announceRun(ctx context.Context, scope Scope, report *Report, failure error) {
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

// consolidateForTool is what memory_consolidate does: a model may ask for it,
// and gets a sentence.
func (x *Extension) consolidateForTool(scope Scope) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		report, err := x.Consolidate(ctx, scope)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Consolidation done in %s: %s", report.Took.Round(time.Millisecond), report.Summary()), nil
	}
}
