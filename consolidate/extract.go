package consolidate

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/schema"
)

// Extract is the stage that draws facts and preferences out of the user's active
// messages after its watermark, oldest first. What an assistant says is no evidence
// about the user. Without a model the stage counts the messages.
//
// Each call is about one page of messages of one level of trust. The claims are
// compared with the messages, see [Claim.Doubt]. Claims that repeat memories that a
// model was shown are dropped.
//
// A page without a usable answer is skipped, see [Skip]. If no page of the run gets
// one, the model is at fault: the stage fails and the pages wait.
//
// Counts: messages, read; small_talk, left out; set_aside, untrusted or reading
// like instructions; echoes, claims that only repeat shown memories; no_claims,
// questions and requests in place of claims; waiting, messages beyond the budget, or
// without a model.
type Extract struct {
	// Page is the maximum number of messages in one call. Default [DefaultPage].
	Page int
}

// DefaultPage is the default of [Extract].
const DefaultPage = 96

const extractStage = "extract"

// Name implements [Stage].
func (Extract) Name() string { return extractStage }

// Propose implements [Stage].
func (s Extract) Propose(ctx context.Context, in *Input, apply Apply) error {
	if s.Page <= 0 {
		s.Page = DefaultPage
	}
	x := &extraction{Extract: s, in: in, apply: apply}
	err := error(nil)
	if in.Model != nil {
		if err = x.run(ctx); !errors.Is(err, ask.ErrBudget) {
			return err
		}
	}
	waiting, counting := x.waiting(ctx)
	if waiting > 0 {
		in.Count(waitingCount, waiting)
	}
	return errors.Join(err, counting)
}

const waitingCount = "waiting"

// Due implements [Trigger]: after a run without a model, by another process perhaps, the
// messages that it left are read at once.
func (Extract) Due(ctx context.Context, s *schema.Snapshot, userID int64) (Urgency, error) {
	last, err := s.LastRun(ctx, userID)
	if err != nil {
		if isNotFound(err) {
			err = nil
		}
		return NotDue, err
	}
	report, err := Recorded(last)
	for _, stage := range report.Stages {
		if stage.Name == extractStage && stage.Counts[waitingCount] > 0 && !stage.OutOfBudget {
			return DueNow, err
		}
	}
	return NotDue, err
}

// extraction is a run of the stage.
type extraction struct {
	Extract

	in    *Input
	apply Apply
	// Pages are held back until the model has given one usable answer.
	usable   bool
	held     [][]Proposal
	unusable int   // held pages without a usable answer
	fault    error // of the last of them
}

// run extracts from skipped pages of earlier nights, then from new messages.
func (x *extraction) run(ctx context.Context) error {
	if err := x.retrySkipped(ctx); err != nil {
		return err
	}
	after, err := x.in.Watermark(ctx, extractStage)
	if err != nil {
		return err
	}
	all, err := x.waiting(ctx)
	if err != nil {
		return err
	}
	done := 0
	for {
		page, err := x.read(ctx, after)
		if err != nil {
			return err
		}
		if page.through == after {
			break
		}
		proposals, err := x.page(ctx, page)
		if err != nil {
			return err
		}
		after = page.through
		if err := x.carryOut(ctx, append(proposals, Advance{extractStage, after})); err != nil {
			return err
		}
		done += page.read
		x.in.Progress(done, max(done, all))
	}
	if !x.usable && x.unusable > 1 {
		return fmt.Errorf("%d pages in a row: %w", x.unusable, x.fault)
	}
	return x.release(ctx)
}

// page asks about each level of trust separately, so that no text can influence
// claims of higher trust.
func (x *extraction) page(ctx context.Context, p *page) ([]Proposal, error) {
	x.in.Count("messages", p.read)
	x.in.Count("small_talk", p.smallTalk)
	x.in.Count("set_aside", p.setAside)
	var proposals []Proposal
	failed := false
	for _, group := range p.byTrust() {
		claims, err := x.ask(ctx, group)
		switch {
		case ask.Unusable(err):
			x.fault, failed = err, true
			claims = []Proposal{Skip{Stage: extractStage, Memories: uidsOf(group), Reason: err.Error()}}
		case err != nil:
			return nil, err
		default:
			x.usable = true
		}
		proposals = append(proposals, claims...)
	}
	if failed {
		x.unusable++
	}
	return proposals, nil
}

// ask extracts the claims of some messages.
func (x *extraction) ask(ctx context.Context, turns []turn) (proposals []Proposal, err error) {
	err = ask.InHalves(turns, func(some []turn) error {
		claims, err := x.askOnce(ctx, some)
		proposals = append(proposals, claims...)
		return err
	})
	return proposals, err
}

func (x *extraction) askOnce(ctx context.Context, turns []turn) ([]Proposal, error) {
	var answer extractAnswer
	err := x.in.Model.Ask(ctx, extractPrompt(turns, x.in.Location), func(decode func(any) error) error {
		answer = extractAnswer{}
		if err := decode(&answer); err != nil {
			return err
		}
		return answer.check()
	})
	if err != nil {
		return nil, err
	}
	shown, err := x.injected(ctx, turns)
	if err != nil {
		return nil, err
	}
	claims, left := answer.claims(turns, x.in, shown)
	x.in.Count("echoes", left.echoes)
	if left.noClaims > 0 {
		x.in.Count("no_claims", left.noClaims)
	}
	proposals := make([]Proposal, len(claims))
	for i, c := range claims {
		proposals[i] = AddClaim{c}
	}
	return proposals, nil
}

// carryOut applies a page, or holds it back until the model has given a usable
// answer.
func (x *extraction) carryOut(ctx context.Context, proposals []Proposal) error {
	x.held = append(x.held, proposals)
	if x.usable || x.unusable == 0 { // a page without a question says nothing about the model
		return x.release(ctx)
	}
	if x.unusable == maxHeld {
		return fmt.Errorf("%d pages in a row: %w", maxHeld, x.fault)
	}
	return nil
}

// maxHeld is the number of held pages or batches after which a stage fails.
const maxHeld = 3

func (x *extraction) release(ctx context.Context) error {
	for len(x.held) > 0 {
		if _, err := x.apply(ctx, x.held[0]...); err != nil {
			return err
		}
		x.held = x.held[1:]
	}
	return nil
}

// retrySkipped asks about the skipped pages of earlier nights again.
func (x *extraction) retrySkipped(ctx context.Context) error {
	return retryGaps(ctx, x.in, extractStage, x.apply, &x.usable, func(gap schema.Gap) (proposals []Proposal, err error) {
		p, err := x.reread(ctx, gap.Memories)
		if err != nil {
			return nil, err
		}
		for _, group := range p.byTrust() {
			claims, err := x.ask(ctx, group)
			if err != nil {
				return nil, err
			}
			x.usable = true
			proposals = append(proposals, claims...)
		}
		return proposals, nil
	})
}

func uidsOf(turns []turn) []string {
	uids := make([]string, len(turns))
	for i, t := range turns {
		uids[i] = t.UID
	}
	return uids
}
