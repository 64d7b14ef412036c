package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// injection alternates between a model alone, a model with injected memories, and
// the two steps of a Memory.
func (l *lab) injection(ctx context.Context) error {
	s, err := l.write(l.stored, 1, l.stored)
	if err != nil {
		return err
	}
	err = l.among(ctx, []contender{ebb.as("ebb", "-model", l.model.String())}, func(all []*client) error {
		c := all[0]
		for _, r := range []peer.Request{{Op: "load", Path: s.path, To: l.stored}, {Op: "settle"}} {
			if _, err := c.ask(r); err != nil {
				return err
			}
		}
		asked := s.asked[l.stored]
		if _, err := c.ask(peer.Request{Op: "search", Users: asked.users[:1], Queries: asked.queries[:1]}); err != nil {
			return err
		}
		whole, own := make(map[string][]int64), make(map[string][]int64)
		for i := range l.talks {
			q := asked.slice(i%len(asked.queries), i%len(asked.queries)+1)
			for _, how := range []string{"bare", "wrapped", "load", "save"} {
				a, err := c.ask(peer.Request{Op: "turn", How: how, Users: q.users, Queries: q.queries})
				if err != nil {
					return fmt.Errorf("%s: %w", how, err)
				}
				whole[how] = append(whole[how], a.Took[0])
				own[how] = append(own[how], a.Took[0]-a.Model[0])
			}
		}
		note := func(what string, took []int64) { l.noteTimes("inject", c, what, l.stored, took, 50, 99) }
		note("bare model, turn", whole["bare"])
		note("wrapped model, turn", whole["wrapped"])
		note("wrapped model, without the model", own["wrapped"])
		note("LoadMemoryVariables", own["load"])
		note("SaveContext", own["save"])
		share := make([]float64, len(own["wrapped"]))
		for i, ns := range own["wrapped"] {
			share[i] = 100 * float64(ns) / float64(l.model.Nanoseconds())
		}
		slices.Sort(share)
		l.note("inject", c, "wrapped model, share of the model's time", l.stored, "%", share[len(share)/2], true)
		return nil
	})
	return errors.Join(err, s.remove())
}
