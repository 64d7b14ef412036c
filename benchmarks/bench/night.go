package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// messages of a night.
const messages = 1000

// night consolidates a thousand messages of one user, and then those of others,
// without a model and with one that answers at once. It subtracts the model's time.
func (l *lab) night(ctx context.Context) error {
	s, err := l.write(messages*l.nights, 1)
	if err != nil {
		return err
	}
	contenders := []contender{ebb.as("ebb, no model"), ebb.as("ebb, a model that answers at once", "-nights")}
	err = l.among(ctx, contenders, func(all []*client) error {
		took := make(map[*client][]int64)
		for night := range l.nights {
			for _, c := range all {
				load := peer.Request{Op: "load", Path: s.path, From: night * messages, To: (night + 1) * messages}
				for _, r := range []peer.Request{load, {Op: "settle"}} {
					if _, err := c.ask(r); err != nil {
						return err
					}
				}
				a, err := c.ask(peer.Request{Op: "night", Users: []string{"user-00000"}})
				if err != nil {
					return fmt.Errorf("night %d: %w", night+1, err)
				}
				took[c] = append(took[c], a.Took[0]-a.Model[0])
			}
		}
		for _, c := range all {
			l.note("night", c, "night p50", messages, "ms", ms(quantile(took[c], 50)), true)
		}
		return nil
	})
	return errors.Join(err, s.remove())
}
