package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// rounds is how often the contenders take turns.
const rounds = 20

// publish measures what storing one turn costs at each size, what loading the
// turns before it took, and what many publishers at once get done.
func (l *lab) publish(ctx context.Context) error {
	total := l.sizes[len(l.sizes)-1] + (len(l.sizes)+2)*(l.turns+l.crowd())
	s, err := l.write(total, 1)
	if err != nil {
		return err
	}
	defer os.Remove(s.path)
	return l.among(ctx, append([]contender{ebbDefault, ebbAlone, cSQLite, goSQLite, history, chromem}, l.mem0...), func(all []*client) error {
		at := make(map[*client]int) // the next turn of each
		if err := l.insert(all, s, at, 0); err != nil {
			return err
		}
		for _, size := range l.sizes {
			var able []*client
			for _, c := range all {
				if c.maxLoad > 0 && size > c.maxLoad {
					continue
				}
				able = append(able, c)
				if err := l.load(c, s, at, size); err != nil {
					return err
				}
			}
			if err := l.insert(able, s, at, size); err != nil {
				return err
			}
			if err := l.publishers(able, s, at, size); err != nil {
				return err
			}
		}
		return nil
	})
}

// crowd is how many turns many publishers share.
func (l *lab) crowd() int { return 4 * l.turns }

func (l *lab) load(c *client, s script, at map[*client]int, size int) error {
	from := at[c]
	if from >= size {
		return nil
	}
	a, err := c.ask(peer.Request{Op: "load", Path: s.path, From: from, To: size})
	if err != nil {
		return err
	}
	at[c] = size
	l.note(c, "bulk load", size, "turns/s", float64(size-from)/time.Duration(a.Total).Seconds(), false)
	_, err = c.ask(peer.Request{Op: "settle"})
	return err
}

func (l *lab) insert(all []*client, s script, at map[*client]int, size int) error {
	took := make(map[*client][]int64)
	each := l.turns / rounds
	for range rounds {
		for _, c := range all {
			a, err := c.ask(peer.Request{Op: "insert", Path: s.path, From: at[c], To: at[c] + each})
			if err != nil {
				return err
			}
			at[c] += each
			took[c] = append(took[c], a.Took...)
		}
	}
	for _, c := range all {
		l.noteTimes(c, "publish", size, took[c])
	}
	return nil
}

// publishers measures 64 at once beside one, in turn.
func (l *lab) publishers(all []*client, s script, at map[*client]int, size int) error {
	const parts = 5
	for _, n := range []int{1, 64} {
		rate := make(map[*client][]float64)
		for range parts {
			for _, c := range all {
				each := l.crowd() / parts / 2
				a, err := c.ask(peer.Request{Op: "crowd", Path: s.path, From: at[c], To: at[c] + each, Publishers: n})
				if err != nil {
					return err
				}
				at[c] += each
				rate[c] = append(rate[c], float64(each)/time.Duration(a.Total).Seconds())
			}
		}
		for _, c := range all {
			slices.Sort(rate[c])
			l.note(c, fmt.Sprintf("%d publishers", n), size, "turns/s", rate[c][parts/2], false)
		}
	}
	return nil
}

// search measures the ten best of one user's turns at each size, from a warm
// start, and the first search after opening.
func (l *lab) search(ctx context.Context) error {
	for _, size := range l.sizes {
		s, err := l.write(size, 1)
		if err != nil {
			return err
		}
		var able []contender
		for _, c := range append([]contender{ebbDefault, ebbHybrid, cSQLite, goSQLite, chromem}, l.mem0...) {
			if c.maxLoad == 0 || size <= c.maxLoad {
				able = append(able, c)
			}
		}
		err = l.among(ctx, able, func(all []*client) error { return l.searchAt(ctx, all, s, size) })
		if err := errors.Join(err, os.Remove(s.path)); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) searchAt(ctx context.Context, all []*client, s script, size int) error {
	for _, c := range all {
		for _, r := range []peer.Request{{Op: "load", Path: s.path, To: size}, {Op: "settle"}} {
			if _, err := c.ask(r); err != nil {
				return err
			}
		}
		opened, err := c.again(ctx)
		if err != nil {
			return err
		}
		first, err := c.ask(peer.Request{Op: "search", Users: s.users[:1], Queries: s.queries[:1]})
		if err != nil {
			return err
		}
		l.note(c, "open", size, "ms", ms(opened.Total), true)
		l.note(c, "first search", size, "ms", ms(first.Total), true)
	}
	took := make(map[*client][]int64)
	resident := make(map[*client]int64)
	each := len(s.queries) / rounds
	for r := range rounds + 1 { // the first warms
		r = max(r-1, 0)
		for _, c := range all {
			a, err := c.ask(peer.Request{Op: "search", Users: s.users[r*each : (r+1)*each], Queries: s.queries[r*each : (r+1)*each]})
			if err != nil {
				return err
			}
			took[c] = append(took[c], a.Took...)
			resident[c] = a.Resident
		}
	}
	for _, c := range all {
		l.noteTimes(c, "search", size, took[c][each:])
		l.note(c, "resident", size, "bytes/turn", float64(resident[c])/float64(size), true)
	}
	return nil
}

// among starts contenders, and ends them.
func (l *lab) among(ctx context.Context, contenders []contender, f func([]*client) error) (err error) {
	var all []*client
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.end())
		}
	}()
	for _, c := range contenders {
		started, err := l.start(ctx, c)
		if err != nil {
			return err
		}
		all = append(all, started)
	}
	return f(all)
}

func ms(nanoseconds int64) float64 { return float64(nanoseconds) / 1e6 }
