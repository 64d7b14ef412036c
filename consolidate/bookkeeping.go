package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Advance moves a stage's watermark forward, in the transaction of the batch
// it stands behind, so that a killed run neither skips nor repeats it.
type Advance struct {
	Stage   string
	Through int64 // row id of the last memory worked on
}

// Kind implements [Proposal]; bookkeeping is not reported.
func (Advance) Kind() string { return "" }

// MemoryUID implements [Proposal].
func (Advance) MemoryUID() string { return "" }

func (p Advance) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.Advance(ctx, n.input.UserID, p.Stage, p.Through, n.actor())
}

// LeaveOut records memories that a stage gives up on for now: what the model
// made of them could not be used. The watermark passes them, and the stage
// tries them again on later nights, at most [MaxAttempts] times in all.
type LeaveOut struct {
	Stage    string
	Memories []string // public ids
	Reason   string
	Gap      string // the gap's id when it was tried before; "" opens one
}

// MaxAttempts is how often a stage tries a batch that the model cannot digest.
const MaxAttempts = 3

// Kind implements [Proposal].
func (LeaveOut) Kind() string { return "leave_out" }

// MemoryUID implements [Proposal].
func (LeaveOut) MemoryUID() string { return "" }

func (p LeaveOut) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	outcome := Outcome{Kind: p.Kind(), Fate: Applied, Reason: p.Reason}
	if p.Gap != "" {
		return outcome, tx.RetriedGap(ctx, n.input.UserID, p.Gap, p.Reason, n.actor())
	}
	return outcome, tx.OpenGap(ctx, n.input.UserID, p.Stage, p.Memories, p.Reason, n.actor())
}

// Caught records that what a stage had left out is done.
type Caught struct {
	Gap string
}

// Kind implements [Proposal]; bookkeeping is not reported.
func (Caught) Kind() string { return "" }

// MemoryUID implements [Proposal].
func (Caught) MemoryUID() string { return "" }

func (p Caught) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.CloseGap(ctx, n.input.UserID, p.Gap, n.actor())
}
