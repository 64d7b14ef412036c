package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// manyUsers alternates between a memory of many users and one of a single user.
func (l *lab) manyUsers(ctx context.Context) error {
	one, err := l.write(l.shared+l.turns, 1, l.shared)
	if err != nil {
		return err
	}
	many, err := l.write(l.shared+l.turns, l.users, l.shared)
	if err != nil {
		return err
	}
	crowd := fmt.Sprintf(", %d users", l.users)
	contenders := []contender{ebb.as("ebb, 1 user"), ebb.as("ebb" + crowd), cSQLite.as("C, 1 user"), cSQLite.as("C" + crowd)}
	err = l.among(ctx, contenders, func(all []*client) error {
		w := walk{lab: l, script: one, own: make(map[*client]script), at: make(map[*client]int)}
		for i, c := range all {
			if i%2 == 1 {
				w.own[c] = many
			}
			w.at[c] = l.shared
			for _, r := range []peer.Request{{Op: "load", Path: w.path(c), To: l.shared}, {Op: "settle"}} {
				if _, err := c.ask(r); err != nil {
					return err
				}
			}
		}
		took, err := w.insert(all, l.turns)
		if err != nil {
			return err
		}
		for _, c := range all {
			l.noteTimes("users", c, "publish", l.shared, took[c], 50, 99)
		}
		// Each of the many is asked for the first time, then again.
		for _, what := range []string{"search, first of a user", "search, again"} {
			took, err := searches(all, false, func(c *client) questions {
				if s, other := w.own[c]; other {
					return s.asked[l.shared]
				}
				return one.asked[l.shared]
			})
			if err != nil {
				return err
			}
			for _, c := range all {
				l.noteTimes("users", c, what, l.shared, took[c], 50, 99)
			}
		}
		return nil
	})
	return errors.Join(err, one.remove(), many.remove())
}
