package main

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// reading fills the same memories step by step; at each size it opens them in
// a new process and measures the first searches, and then those that follow.
func (l *lab) reading(ctx context.Context) error {
	s, err := l.write(l.sizes[len(l.sizes)-1], 1, l.sizes...)
	if err != nil {
		return err
	}
	w := walk{lab: l, script: s, at: make(map[*client]int)}
	contenders := append([]contender{ebb, ebbHybrid, cSQLite, goSQLite, bleve, chromem}, l.mem0...)
	err = l.among(ctx, contenders, func(all []*client) error {
		for _, size := range l.sizes {
			able := w.able("search", all, size)
			for _, c := range able {
				for _, r := range []peer.Request{{Op: "load", Path: w.path(c), From: w.at[c], To: size}, {Op: "settle"}} {
					if _, err := c.ask(r); err != nil {
						return err
					}
				}
				w.at[c] = size
				if err := w.first(ctx, c, w.asked[size], size); err != nil {
					return err
				}
			}
			if err := w.search(able, size); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, s.remove())
}

// search alternates between the contenders.
func (w walk) search(all []*client, size int) error {
	took, err := searches(all, true, func(*client) questions { return w.asked[size] })
	if err != nil {
		return err
	}
	for _, c := range all {
		w.noteTimes("search", c, "search", size, took[c], 50, 99)
		a, err := c.ask(peer.Request{Op: "collect"})
		if err != nil {
			return err
		}
		w.note("search", c, "resident", size, "bytes/turn", float64(a.Resident)/float64(size), true)
	}
	return nil
}

// searches asks each contender its questions in rounds, after an optional warm-up
// round.
func searches(all []*client, warm bool, asked func(*client) questions) (map[*client][]int64, error) {
	took := make(map[*client][]int64)
	first := 1
	if warm {
		first = 0
	}
	for r := first; r <= rounds; r++ {
		for _, c := range all {
			q := asked(c)
			each := len(q.queries) / rounds
			part := q.slice(max(r-1, 0)*each, max(r, 1)*each)
			a, err := c.ask(peer.Request{Op: "search", Users: part.users, Queries: part.queries})
			if err != nil {
				return nil, err
			}
			if r > 0 {
				took[c] = append(took[c], a.Took...)
			}
		}
	}
	return took, nil
}
