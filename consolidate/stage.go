package consolidate

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// Stage is one step of a night. It reads and thinks outside any transaction, for
// as long as ctx allows, and changes nothing itself: it passes proposals to apply,
// which checks them and carries them out.
//
// A stage must be repeatable: run again on the result of its own proposals, it
// proposes nothing. A stage with a backlog passes each batch together with an
// [Advance] of its watermark, from which it continues after an interruption.
type Stage interface {
	// Name identifies the stage in reports: "prune". It is unique in a list.
	Name() string
	// Propose works on one user's memories. An error fails the stage but not the
	// run: later stages still run. [ask.ErrBudget] is no failure: the rest waits for
	// the next night.
	Propose(ctx context.Context, in *Input, apply Apply) error
}

// Apply checks proposals against the current memories and carries out those that
// hold, in one transaction that also stores the report. It returns their outcomes,
// in order.
//
// An error means that nothing of the batch was done: the database failed, or
// another process took the run over. The stage must return it.
type Apply func(ctx context.Context, proposals ...Proposal) ([]Outcome, error)

// InBatches applies proposals of which each holds without the others, a hundred in a
// transaction, so that no other writer waits long. It returns the outcomes, in order, of
// the batches before an error.
func (apply Apply) InBatches(ctx context.Context, proposals []Proposal) (outcomes []Outcome, err error) {
	const size = 100
	for batch := range slices.Chunk(proposals, size) {
		done, err := apply(ctx, batch...)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, done...)
	}
	return outcomes, nil
}

// Input is the input of a stage.
type Input struct {
	DB       *schema.DB
	Searcher *recall.Searcher // nil when the runner was made without one
	// Model asks the model within the run's budget; nil without a model.
	Model    *ask.Asker
	Scope    schema.Scope
	UserID   int64
	RunID    int64     // under which proposals are applied
	Cause    string    // [CauseNight], [CauseManual] or [CauseTrigger]
	Now      time.Time // the memory's clock at the start of the run
	Location *time.Location

	// Retention determines how memories fade; nil is [retention.Default].
	Retention retention.Policy
	// RetirementCap is the share of the derived memories, 0–1, that a day may
	// take out of search.
	RetirementCap float64

	report   *StageReport
	progress func(done, of int)
}

// Count adds n to a counter in the report of the stage.
func (in *Input) Count(name string, n int) {
	if in.report.Counts == nil {
		in.report.Counts = make(map[string]int)
	}
	in.report.Counts[name] += n
}

// Progress reports how much of the stage's work is done.
func (in *Input) Progress(done, of int) { in.progress(done, of) }

// Watermark returns the row id of the last memory that the stage of this name has
// processed.
func (in *Input) Watermark(ctx context.Context, name string) (int64, error) {
	return schema.Get(ctx, in.DB, func(ctx context.Context, s *schema.Snapshot) (int64, error) {
		return s.Watermark(ctx, in.UserID, name)
	})
}

// StageError is the error of a stage that failed.
type StageError struct {
	Stage string
	Err   error
}

func (e *StageError) Error() string { return fmt.Sprintf("stage %s: %v", e.Stage, e.Err) }

// Unwrap returns the cause.
func (e *StageError) Unwrap() error { return e.Err }

// PanicError is a recovered panic of a stage. A night runs on its own goroutine,
// where the panic would end the host's process.
type PanicError struct {
	Value any
	Stack []byte
}

// Error omits a value that is not a runtime error: it may contain text of the user.
func (e *PanicError) Error() string { return schema.ForeignPanic("the stage", e.Value).Error() }

func propose(ctx context.Context, stage Stage, in *Input, apply Apply) (err error) {
	if broken := hostCall(func() { err = stage.Propose(ctx, in, apply) }); broken != nil {
		return broken
	}
	if !ours(stage) {
		err = schema.Foreign("the stage", err)
	}
	return err
}

// hostCall calls a function that may be the host's. Its panic is a [*PanicError].
func hostCall(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}

// ours reports whether a stage is of this package or one below it. Errors of others
// may contain text of the user.
func ours(stage Stage) bool {
	t := reflect.TypeOf(stage)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	here := reflect.TypeFor[StageError]().PkgPath()
	return t.PkgPath() == here || strings.HasPrefix(t.PkgPath(), here+"/")
}
