package consolidate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// model goes over the gaps of earlier nights, then over what is new.
func (x *comparison) model(ctx context.Context) error {
	if err := x.gaps(ctx); err != nil {
		return x.stopped(ctx, err)
	}
	after, err := x.in.Watermark(ctx, conflictStage)
	if err != nil {
		return err
	}
	from, _ := slices.BinarySearchFunc(x.holding.claims, after+1, func(c *contender, id int64) int { return int(c.ID - id) })
	fresh := x.holding.claims[from:]
	b := &batch{}
	for i, c := range fresh {
		questions, err := x.questions(ctx, c)
		if err != nil {
			return err
		}
		if len(b.questions) > 0 && len(b.questions)+len(questions) > x.Pairs {
			if err := x.put(ctx, b); err != nil {
				return x.stopped(ctx, err)
			}
			b = &batch{}
		}
		b.add(c, questions)
		x.in.Progress(i+1, len(fresh))
	}
	if err := x.put(ctx, b); err != nil {
		return x.stopped(ctx, err)
	}
	if !x.usable && len(x.held) > 1 {
		return fmt.Errorf("%d batches in a row: %w", len(x.held), x.fault)
	}
	return x.release(ctx)
}

// stopped counts what waits when the budget is used up.
func (x *comparison) stopped(ctx context.Context, err error) error {
	if !errors.Is(err, ErrBudget) {
		return err
	}
	through, reading := x.in.Watermark(ctx, conflictStage)
	waiting := 0
	for _, c := range x.holding.claims {
		if c.ID > through {
			waiting++
		}
	}
	x.in.Count("waiting", waiting)
	return errors.Join(err, reading)
}

// batch is what one call is about: new claims, and the pairs they are in.
type batch struct {
	claims    []*contender // that are in a pair
	questions []question
	through   int64 // the last new claim it covers
}

func (b *batch) add(c *contender, questions []question) {
	if len(questions) > 0 {
		b.claims = append(b.claims, c)
	}
	b.questions = append(b.questions, questions...)
	b.through = c.ID
}

func (x *comparison) questions(ctx context.Context, c *contender) (list []question, err error) {
	known, err := x.holding.candidates(ctx, x.in, c)
	for _, k := range known {
		list = append(list, question{c, k})
	}
	return list, err
}

// put asks about a batch and applies what comes of it, with the watermark.
func (x *comparison) put(ctx context.Context, b *batch) error {
	if b.through == 0 {
		return nil
	}
	proposals, err := x.judge(ctx, b.questions)
	switch {
	case givesUp(err):
		x.fault = err
		left := LeaveOut{Stage: conflictStage, Reason: err.Error()}
		for _, c := range b.claims {
			left.Memories = append(left.Memories, c.UID)
		}
		proposals = []Proposal{left}
	case err != nil:
		return err
	case len(b.questions) > 0:
		x.usable = true
	}
	x.held = append(x.held, append(proposals, Advance{conflictStage, b.through}))
	if x.fault != nil && !x.usable {
		if len(x.held) == maxHeld {
			return fmt.Errorf("%d batches in a row: %w", maxHeld, x.fault)
		}
		return nil
	}
	return x.release(ctx)
}

func (x *comparison) release(ctx context.Context) error {
	for len(x.held) > 0 {
		if _, err := x.apply(ctx, x.held[0]...); err != nil {
			return err
		}
		x.held = x.held[1:]
	}
	return nil
}

// judge asks about each level of trust apart, so that no text can speak for
// claims that are trusted more than it.
func (x *comparison) judge(ctx context.Context, questions []question) (proposals []Proposal, err error) {
	levels := make(map[schema.Trust][]question)
	for _, q := range questions {
		level := min(q.fresh.Trust, q.known.Trust)
		levels[level] = append(levels[level], q)
	}
	for _, level := range slices.Backward(slices.Sorted(maps.Keys(levels))) {
		for asked := range slices.Chunk(levels[level], x.Pairs) {
			judged, err := x.ask(ctx, asked)
			if err != nil {
				return nil, err
			}
			proposals = append(proposals, judged...)
		}
	}
	return proposals, nil
}

func (x *comparison) ask(ctx context.Context, questions []question) ([]Proposal, error) {
	var answer conflictAnswer
	err := x.in.Model.Ask(ctx, conflictPrompt(questions, x.in.Location), func(decode func(any) error) error {
		answer = conflictAnswer{}
		if err := decode(&answer); err != nil {
			return err
		}
		return answer.check(len(questions))
	})
	if err != nil {
		return nil, err
	}
	x.in.Count("compared", len(questions))
	var proposals []Proposal
	for i, v := range answer.Pairs {
		if v.Relation != RelationCompatible {
			q := questions[i]
			proposals = append(proposals, Relate{A: q.known.UID, B: q.fresh.UID, Relation: v.Relation, ByModel: true, Why: v.Why})
		}
	}
	return proposals, nil
}

// gaps tries once more what earlier nights left out; somebody who runs a night
// by hand means all of it.
func (x *comparison) gaps(ctx context.Context) error {
	most := int64(MaxAttempts)
	if x.in.Cause == CauseManual {
		most = 0
	}
	var gaps []schema.Gap
	err := x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		gaps, err = s.Gaps(ctx, x.in.UserID, conflictStage, most)
		return err
	})
	if err != nil {
		return err
	}
	for _, gap := range gaps {
		var questions []question
		for _, c := range x.holding.claims {
			if !slices.Contains(gap.Memories, c.UID) {
				continue
			}
			more, err := x.questions(ctx, c)
			if err != nil {
				return err
			}
			questions = append(questions, more...)
		}
		proposals, err := x.judge(ctx, questions)
		switch {
		case givesUp(err):
			proposals = []Proposal{LeaveOut{Stage: conflictStage, Reason: err.Error(), Gap: gap.UID}}
		case err != nil:
			return err
		default:
			x.usable = x.usable || len(questions) > 0
			proposals = append(proposals, Caught{gap.UID})
		}
		if _, err := x.apply(ctx, proposals...); err != nil {
			return err
		}
	}
	return nil
}
