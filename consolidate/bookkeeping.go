package consolidate

import (
	"context"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
)

// Advance moves a stage's watermark forward. Apply it in the same batch as the
// proposals it covers, so that an interrupted run neither skips nor repeats them.
type Advance struct {
	Stage   string
	Through int64 // row id of the last memory that was processed
}

func (Advance) of() (kind, memory string) { return "", "" }

func (p Advance) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.Advance(ctx, n.input.UserID, p.Stage, p.Through, n.actor())
}

// Skip records a batch of memories for which the model gave no usable answer. The
// watermark moves past them, and the stage retries them on later nights, with at most
// [MaxAttempts] attempts in total.
type Skip struct {
	Stage    string
	Memories []string // public ids
	Reason   string
	Batch    string // id of the batch if this was a retry; "" for a new one
}

// MaxAttempts is the maximum number of attempts at a batch, including the first.
const MaxAttempts = 3

func (Skip) of() (kind, memory string) { return "skip", "" }

func (p Skip) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	outcome := applied(p)
	outcome.Reason = p.Reason
	if p.Batch != "" {
		return outcome, tx.RetriedGap(ctx, n.input.UserID, p.Batch, p.Reason, n.actor())
	}
	return outcome, tx.OpenGap(ctx, n.input.UserID, p.Stage, p.Memories, p.Reason, n.actor())
}

// Retried removes a skipped batch after a successful retry.
type Retried struct {
	Batch string // id
}

func (Retried) of() (kind, memory string) { return "", "" }

func (p Retried) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	return applied(p), tx.CloseGap(ctx, n.input.UserID, p.Batch, n.actor())
}

// mostUseless is how many skipped batches without a usable answer are asked about again while
// the model has given none in the run. The others wait for a model that can.
const mostUseless = 3

// retryGaps asks about a stage's skipped batches of earlier nights again; in a manual run also
// about those with [MaxAttempts]. again asks about one, and sets usable at a usable answer.
func retryGaps(ctx context.Context, in *Input, stage string, apply Apply, usable *bool, again func(schema.Gap) ([]Proposal, error)) error {
	attempts := int64(MaxAttempts)
	if in.Cause == CauseManual {
		attempts = 0
	}
	gaps, err := schema.Get(ctx, in.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Gap, error) {
		return s.Gaps(ctx, in.UserID, stage, attempts)
	})
	if err != nil {
		return err
	}
	useless := 0
	for _, gap := range gaps {
		if useless == mostUseless && !*usable {
			break
		}
		proposals, err := again(gap)
		switch {
		case ask.Unusable(err):
			useless++
			proposals = []Proposal{Skip{Stage: stage, Reason: err.Error(), Batch: gap.UID}}
		case err != nil:
			return err
		default:
			proposals = append(proposals, Retried{gap.UID})
		}
		if _, err := apply(ctx, proposals...); err != nil {
			return err
		}
	}
	return nil
}

// ProposeBlock asks the host for a change of a block of core memory.
type ProposeBlock struct {
	Change core.BlockChange
	Why    string // for the host
}

func (ProposeBlock) of() (kind, memory string) { return core.ProposalBlock, "" }

func (p ProposeBlock) apply(ctx context.Context, tx *schema.Tx, n *night) (Outcome, error) {
	b, err := core.Read(ctx, tx, n.input.UserID, p.Change.Owner, p.Change.Block)
	if err != nil {
		return Outcome{}, err
	}
	if b.Content != p.Change.Content {
		return Outcome{}, &schema.InvalidError{Field: "block", Reason: "was changed in the meantime"}
	}
	_, added, err := tx.Propose(ctx, n.input.UserID, core.ProposalBlock, p.Change, p.Why, n.actor())
	outcome := Outcome{Kind: core.ProposalBlock, Status: Waiting, Reason: p.Why, Text: p.Change.NewContent}
	if !added {
		outcome.Status = Known
	}
	return outcome, err
}
