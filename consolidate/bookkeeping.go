package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Advance moves a stage's watermark forward. It belongs into the same batch as
// the proposals it covers, so that a killed run neither skips nor repeats them.
type Advance struct {
	Stage   string
	Through int64 // row id of the last memory that was processed
}

// Kind implements [Proposal]; not reported.
func (Advance) Kind() string { return "" }

// MemoryUID implements [Proposal].
func (Advance) MemoryUID() string { return "" }

func (p Advance) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.Advance(ctx, n.input.UserID, p.Stage, p.Through, n.actor())
}

// Skip records memories about which the model gave no usable answer. The
// watermark moves past them, and the stage tries them again on later nights, at
// most [MaxAttempts] times in all.
type Skip struct {
	Stage    string
	Memories []string // public ids
	Reason   string
	Batch    string // the id of the skipped batch when it was tried again; "" for a new one
}

// MaxAttempts is how often a stage tries a batch without a usable answer.
const MaxAttempts = 3

// Kind implements [Proposal].
func (Skip) Kind() string { return "skip" }

// MemoryUID implements [Proposal].
func (Skip) MemoryUID() string { return "" }

func (p Skip) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	outcome := Outcome{Kind: p.Kind(), Status: Applied, Reason: p.Reason}
	if p.Batch != "" {
		return outcome, tx.RetriedGap(ctx, n.input.UserID, p.Batch, p.Reason, n.actor())
	}
	return outcome, tx.OpenGap(ctx, n.input.UserID, p.Stage, p.Memories, p.Reason, n.actor())
}

// Retried records that a skipped batch is done.
type Retried struct {
	Batch string // id
}

// Kind implements [Proposal]; not reported.
func (Retried) Kind() string { return "" }

// MemoryUID implements [Proposal].
func (Retried) MemoryUID() string { return "" }

func (p Retried) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.CloseGap(ctx, n.input.UserID, p.Batch, n.actor())
}
