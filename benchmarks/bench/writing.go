package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// walk is one way through growing memories: each contender with its script and
// the next turn in it.
type walk struct {
	*lab
	script

	own map[*client]script // of those that have another than script
	at  map[*client]int
}

// path is the file of a contender's turns.
func (w walk) path(c *client) string {
	if s, other := w.own[c]; other {
		return s.of(c)
	}
	return w.of(c)
}

// crowd is how many turns one publisher, and then 64, insert.
func (l *lab) crowd() int { return 2 * l.turns }

// writing fills the same memories step by step, and measures publish and growth at
// each step.
func (l *lab) writing(ctx context.Context) error {
	sizes := slices.Sorted(slices.Values(l.sizes))
	largest := sizes[len(sizes)-1]
	s, err := l.write(largest+(len(sizes)+2)*(l.turns+2*l.crowd()), 1)
	if err != nil {
		return err
	}
	w := walk{lab: l, script: s, at: make(map[*client]int)}
	contenders := append([]contender{ebb, ebbAlone, cSQLite, goSQLite, history, bleve, chromem}, l.mem0...)
	err = l.among(ctx, contenders, func(all []*client) error {
		if err := w.publish(all, 0); err != nil {
			return err
		}
		for _, size := range sizes {
			able := w.able("publish", all, size)
			for _, c := range able {
				if err := w.load("publish", c, size); err != nil {
					return err
				}
			}
			if err := errors.Join(w.publish(able, size), w.publishers(able, size)); err != nil {
				return err
			}
		}
		return w.growth(ctx, among(all, ebb, cSQLite), largest)
	})
	return errors.Join(err, s.remove())
}

// able returns the contenders that can hold a number of turns. It notes the reason
// for the others.
func (l *lab) able(section string, all []*client, size int) (able []*client) {
	for _, c := range all {
		if c.maxLoad > 0 && size > c.maxLoad {
			l.leaveOut(section, c.name, size, c.why)
			continue
		}
		able = append(able, c)
	}
	return able
}

// among are the clients of some contenders.
func among(all []*client, some ...contender) (found []*client) {
	for _, c := range all {
		if slices.ContainsFunc(some, func(s contender) bool { return s.name == c.name }) {
			found = append(found, c)
		}
	}
	return found
}

// load fills a contender's memory up to a size, and notes how fast.
func (w walk) load(section string, c *client, size int) error {
	from := w.at[c]
	if from >= size {
		return nil
	}
	a, err := c.ask(peer.Request{Op: "load", Path: w.path(c), From: from, To: size})
	if err != nil {
		return err
	}
	w.at[c] = size
	w.note(section, c, "bulk load", size, "turns/s", rate(size-from, a.Total), false)
	if _, err := c.ask(peer.Request{Op: "settle"}); err != nil {
		return err
	}
	a, err = c.ask(peer.Request{Op: "collect"})
	w.note(section, c, "resident after the load", size, "MB", float64(a.Resident)/1e6, true)
	return err
}

// insert alternates between the contenders. The background work of one ends before
// the next one's turn.
func (w walk) insert(all []*client, turns int) (map[*client][]int64, error) {
	took := make(map[*client][]int64)
	each := turns / rounds
	for range rounds {
		for _, c := range all {
			a, err := c.ask(peer.Request{Op: "insert", Path: w.path(c), From: w.at[c], To: w.at[c] + each})
			if err != nil {
				return nil, err
			}
			w.at[c] += each
			took[c] = append(took[c], a.Took...)
			if _, err := c.ask(peer.Request{Op: "settle"}); err != nil {
				return nil, err
			}
		}
	}
	return took, nil
}

// publish measures what storing one turn costs.
func (w walk) publish(all []*client, size int) error {
	took, err := w.insert(all, w.turns)
	for _, c := range all {
		w.noteTimes("publish", c, "publish", size, took[c], 50, 99)
	}
	return err
}

// publishers alternates between 64 concurrent publishers and one.
func (w walk) publishers(all []*client, size int) error {
	const parts = 5
	for _, n := range []int{1, 64} {
		rates := make(map[*client][]float64)
		for range parts {
			for _, c := range all {
				each := w.crowd() / parts
				a, err := c.ask(peer.Request{Op: "crowd", Path: w.path(c), From: w.at[c], To: w.at[c] + each, Publishers: n})
				if err != nil {
					return err
				}
				w.at[c] += each
				rates[c] = append(rates[c], rate(each, a.Total))
				if _, err := c.ask(peer.Request{Op: "settle"}); err != nil {
					return err
				}
			}
		}
		for _, c := range all {
			slices.Sort(rates[c])
			w.note("publish", c, fmt.Sprintf("%d publishers", n), size, "turns/s", rates[c][parts/2], false)
		}
	}
	return nil
}

func rate(n int, nanoseconds int64) float64 { return float64(n) / time.Duration(nanoseconds).Seconds() }
