package consolidate

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/schema"
)

// Extract is the stage that draws facts and preferences out of what was said
// since its watermark: of active messages of the roles it reads, oldest first.
//
// One call of the model is about one page of messages of one level of trust.
// What it answers is held against the messages, see [Claim.Doubt]; text that
// was put before a model as memory is not taken for news. Without a model it
// does nothing.
//
// A page of which the model makes nothing usable is left out, see [LeaveOut],
// unless no page of the run was usable: then the model is at fault, the stage
// fails and the pages wait.
//
// Counts: messages (read), small_talk (left out), set_aside (nobody vouches
// for it, or it reads like an instruction), echoes (claims that only repeat injected memory), waiting
// (messages that did not fit into the budget).
type Extract struct {
	// Roles whose messages are read. Default "user": what an assistant says is
	// not evidence about the user.
	Roles []string
	// Page is how many messages are put into one call at most. Default 96.
	Page int
}

// DefaultPage is how many messages one call of [Extract] is about.
const DefaultPage = 96

const extractStage = "extract"

// Name implements [Stage].
func (Extract) Name() string { return extractStage }

// Propose implements [Stage].
func (s Extract) Propose(ctx context.Context, in *Input, apply Apply) error {
	if in.Model == nil {
		return nil
	}
	if s.Roles == nil {
		s.Roles = []string{"user"}
	}
	if s.Page <= 0 {
		s.Page = DefaultPage
	}
	x := &extraction{Extract: s, in: in, apply: apply}
	err := x.run(ctx)
	if errors.Is(err, ErrBudget) {
		waiting, counting := x.waiting(ctx)
		in.Count("waiting", waiting)
		err = errors.Join(err, counting)
	}
	return err
}

// extraction is the stage at work.
type extraction struct {
	Extract

	in    *Input
	apply Apply
	// held back until one page has shown that the model can answer at all.
	usable   bool
	held     [][]Proposal
	unusable int   // pages among those
	fault    error // of the last of them
}

// run goes over the gaps of earlier nights, then over what is new.
func (x *extraction) run(ctx context.Context) error {
	if err := x.gaps(ctx); err != nil {
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

// page asks about each level of trust apart, so that no text can speak for
// one that is trusted more.
func (x *extraction) page(ctx context.Context, p *page) ([]Proposal, error) {
	x.in.Count("messages", p.read)
	x.in.Count("small_talk", p.smallTalk)
	x.in.Count("set_aside", p.setAside)
	var proposals []Proposal
	failed := false
	for _, group := range p.byTrust() {
		claims, err := x.ask(ctx, group)
		switch {
		case givesUp(err):
			x.fault, failed = err, true
			claims = []Proposal{LeaveOut{Stage: extractStage, Memories: uidsOf(group), Reason: err.Error()}}
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

// ask draws the claims out of turns. An answer that was cut off is asked for
// again in two halves.
func (x *extraction) ask(ctx context.Context, turns []turn) ([]Proposal, error) {
	var answer extractAnswer
	err := x.in.Model.Ask(ctx, extractPrompt(turns, x.in.Location), func(decode func(any) error) error {
		answer = extractAnswer{}
		if err := decode(&answer); err != nil {
			return err
		}
		return answer.check()
	})
	if errors.Is(err, errCutOff) && len(turns) >= 8 {
		first, err := x.ask(ctx, turns[:len(turns)/2])
		if err != nil {
			return nil, err
		}
		second, err := x.ask(ctx, turns[len(turns)/2:])
		return append(first, second...), err
	}
	if err != nil {
		return nil, err
	}
	shown, err := x.injected(ctx, turns)
	if err != nil {
		return nil, err
	}
	claims, echoes := answer.claims(turns, x.in, shown)
	x.in.Count("echoes", echoes)
	proposals := make([]Proposal, len(claims))
	for i, c := range claims {
		proposals[i] = AddClaim{c}
	}
	return proposals, nil
}

// carryOut applies a page, or holds it back until the model has proved of use.
func (x *extraction) carryOut(ctx context.Context, proposals []Proposal) error {
	x.held = append(x.held, proposals)
	if x.usable || x.unusable == 0 { // a page nobody was asked about says nothing of the model
		return x.release(ctx)
	}
	if x.unusable == maxHeld {
		return fmt.Errorf("%d pages in a row: %w", maxHeld, x.fault)
	}
	return nil
}

// maxHeld is after how many unusable pages in a row at the start of a run the
// model is given up for the night.
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

// gaps tries once more what earlier nights left out; somebody who runs a night
// by hand means all of it.
func (x *extraction) gaps(ctx context.Context) error {
	most := int64(MaxAttempts)
	if x.in.Cause == CauseManual {
		most = 0
	}
	var gaps []schema.Gap
	err := x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		gaps, err = s.Gaps(ctx, x.in.UserID, extractStage, most)
		return err
	})
	if err != nil {
		return err
	}
	for _, gap := range gaps {
		p, err := x.reread(ctx, gap.Memories)
		if err != nil {
			return err
		}
		var proposals []Proposal
		for _, group := range p.byTrust() {
			claims, err := x.ask(ctx, group)
			if givesUp(err) {
				proposals = []Proposal{LeaveOut{Stage: extractStage, Reason: err.Error(), Gap: gap.UID}}
				break
			}
			if err != nil {
				return err
			}
			x.usable = true
			proposals = append(proposals, claims...)
		}
		if len(proposals) == 0 || !isLeaveOut(proposals[0]) {
			proposals = append(proposals, Caught{gap.UID})
		}
		if _, err := x.apply(ctx, proposals...); err != nil {
			return err
		}
	}
	return nil
}

func isLeaveOut(p Proposal) bool { _, is := p.(LeaveOut); return is }

func uidsOf(turns []turn) []string {
	uids := make([]string, len(turns))
	for i, t := range turns {
		uids[i] = t.UID
	}
	return uids
}
