package consolidate

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Stage is one step of a night. It reads and thinks outside any transaction,
// for as long as ctx allows, and changes nothing itself: what should change it
// returns as proposals, which the runner checks and applies.
//
// A stage must be repeatable: run on what its own proposals made, it proposes
// nothing more.
type Stage interface {
	// Name identifies the stage in reports: "decay". It is unique in a list.
	Name() string
	// Propose looks at one user's memory. An error fails the stage, not the
	// run: the stages after it still have their turn.
	Propose(ctx context.Context, in *Input) ([]Proposal, error)
}

// Input is what a stage works on.
type Input struct {
	DB       *schema.DB
	Searcher *recall.Searcher // nil when the runner was made without one
	Scope    schema.Scope
	UserID   int64
	RunID    int64     // what proposals are applied under
	Now      time.Time // the memory's clock at the start of the run

	// RetirementCap is the share of the derived memories, 0–1, that a day may
	// take out of search.
	RetirementCap float64

	counts map[string]int
}

// Count adds n to a number that the report shows under the stage.
func (in *Input) Count(name string, n int) { in.counts[name] += n }

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

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

func propose(ctx context.Context, stage Stage, in *Input) (proposals []Proposal, err error) {
	defer func() {
		if p := recover(); p != nil {
			proposals, err = nil, &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return stage.Propose(ctx, in)
}
