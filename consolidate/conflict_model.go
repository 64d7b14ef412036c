package consolidate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/relation"
	"github.com/ebbmem/ebb/schema"
)

// model asks about skipped batches of earlier nights, then about new claims.
func (x *comparison) model(ctx context.Context) error {
	if err := x.retrySkipped(ctx); err != nil {
		return x.stopped(ctx, err)
	}
	after, err := x.in.Watermark(ctx, conflictStage)
	if err != nil {
		return err
	}
	from, _ := slices.BinarySearchFunc(x.holding.claims, after+1, func(c *claim, id int64) int { return int(c.ID - id) })
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

// stopped counts the waiting claims when the budget is used up.
func (x *comparison) stopped(ctx context.Context, err error) error {
	if !errors.Is(err, ask.ErrBudget) {
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

// batch is the content of one call: new claims and their pairs.
type batch struct {
	claims    []*claim // those with a pair
	questions []question
	through   int64 // the last new claim it covers
}

func (b *batch) add(c *claim, questions []question) {
	if len(questions) > 0 {
		b.claims = append(b.claims, c)
	}
	b.questions = append(b.questions, questions...)
	b.through = c.ID
}

func (x *comparison) questions(ctx context.Context, c *claim) (list []question, err error) {
	known, err := x.holding.candidates(ctx, x.in, c)
	for _, k := range known {
		list = append(list, question{c, k})
	}
	return list, err
}

// put asks about a batch and applies the result together with the watermark.
func (x *comparison) put(ctx context.Context, b *batch) error {
	if b.through == 0 {
		return nil
	}
	proposals, err := x.judge(ctx, b.questions)
	switch {
	case ask.Unusable(err):
		x.fault = err
		skip := Skip{Stage: conflictStage, Reason: err.Error()}
		for _, c := range b.claims {
			skip.Memories = append(skip.Memories, c.UID)
		}
		proposals = []Proposal{skip}
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

// judge asks about each level of trust separately, so that no text can influence
// the verdict about claims of higher trust.
func (x *comparison) judge(ctx context.Context, questions []question) (proposals []Proposal, err error) {
	levels := make(map[schema.Trust][]question)
	for _, q := range questions {
		level := min(q.fresh.Trust, q.known.Trust)
		levels[level] = append(levels[level], q)
	}
	for _, level := range slices.Backward(slices.Sorted(maps.Keys(levels))) {
		for asked := range slices.Chunk(levels[level], x.Pairs) {
			err := ask.InHalves(asked, func(some []question) error {
				judged, err := x.ask(ctx, some)
				proposals = append(proposals, judged...)
				return err
			})
			if err != nil {
				return nil, err
			}
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
		if v.Relation != relation.Compatible {
			q := questions[i]
			proposals = append(proposals, Relate{A: q.known.UID, B: q.fresh.UID, Relation: v.Relation, ByModel: true, Why: v.Why})
		}
	}
	return proposals, nil
}

// retrySkipped asks about the skipped batches of earlier nights again.
func (x *comparison) retrySkipped(ctx context.Context) error {
	return retryGaps(ctx, x.in, conflictStage, x.apply, &x.usable, func(gap schema.Gap) ([]Proposal, error) {
		var questions []question
		for _, c := range x.holding.claims {
			if !slices.Contains(gap.Memories, c.UID) {
				continue
			}
			more, err := x.questions(ctx, c)
			if err != nil {
				return nil, err
			}
			questions = append(questions, more...)
		}
		proposals, err := x.judge(ctx, questions)
		x.usable = x.usable || err == nil && len(questions) > 0
		return proposals, err
	})
}
