package consolidate

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Stage is one step of a night. It reads and thinks outside any transaction,
// for as long as ctx allows, and changes nothing itself: what should change it
// hands to apply as proposals, which the runner checks and carries out.
//
// A stage must be repeatable: run on what its own proposals made, it proposes
// nothing more. One that works through a backlog hands each batch over together
// with an [Advance] of its watermark; killed, it goes on there.
type Stage interface {
	// Name identifies the stage in reports: "decay". It is unique in a list.
	Name() string
	// Propose looks at one user's memory. An error fails the stage, not the
	// run: the stages after it still have their turn. [ErrBudget] is none: what
	// did not fit waits for the next night.
	Propose(ctx context.Context, in *Input, apply Apply) error
}

// Apply checks proposals against the memory as it is now and carries out those
// that hold, all in one transaction with their entry in the ledger. It returns
// their fates, in order.
//
// An error is the database's, or that the run was taken over; nothing of the
// batch happened then, and the stage must return it.
type Apply func(ctx context.Context, proposals ...Proposal) ([]Outcome, error)

// Input is what a stage works on.
type Input struct {
	DB       *schema.DB
	Searcher *recall.Searcher // nil when the runner was made without one
	// Model is asked through here, within the run's budget; nil without a model.
	Model    *Asker
	Scope    schema.Scope
	UserID   int64
	RunID    int64     // what proposals are applied under
	Cause    string    // [CauseNight], [CauseManual] or [CauseTrigger]
	Now      time.Time // the memory's clock at the start of the run
	Location *time.Location

	// Retention says how memories fade; nil is [recall.DefaultRetention].
	Retention recall.RetentionPolicy
	// RetirementCap is the share of the derived memories, 0–1, that a day may
	// take out of search.
	RetirementCap float64

	report   *StageReport
	progress func(done, of int)
}

// Count adds n to a number that the report shows under the stage.
func (in *Input) Count(name string, n int) {
	if in.report.Counts == nil {
		in.report.Counts = make(map[string]int)
	}
	in.report.Counts[name] += n
}

// Progress says how much of a stage's work is done.
func (in *Input) Progress(done, of int) { in.progress(done, of) }

// Watermark is how far the stage of this name has got: the row id of the last
// memory it has worked on.
func (in *Input) Watermark(ctx context.Context, name string) (through int64, err error) {
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		through, err = s.Watermark(ctx, in.UserID, name)
		return err
	})
	return through, err
}

// StageError says which stage of a run failed.
type StageError struct {
	Stage string
	Err   error
}

func (e *StageError) Error() string { return fmt.Sprintf("stage %s: %v", e.Stage, e.Err) }

// Unwrap gives the cause.
func (e *StageError) Unwrap() error { return e.Err }

// PanicError is a stage's panic, caught: a night runs on a goroutine of its
// own, where a panic would end the host.
type PanicError struct {
	Value any
	Stack []byte
}

// Error leaves the value out unless it is the runtime's: it may hold a text.
func (e *PanicError) Error() string { return schema.ForeignPanic("the stage", e.Value).Error() }

func propose(ctx context.Context, stage Stage, in *Input, apply Apply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	err = stage.Propose(ctx, in, apply)
	if !ours(stage) {
		err = schema.Foreign("the stage", err)
	}
	return err
}

// ours reports a stage of this package. What others say in their errors nobody
// knows.
func ours(stage Stage) bool {
	t := reflect.TypeOf(stage)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == reflect.TypeFor[StageError]().PkgPath()
}
