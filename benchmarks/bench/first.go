package main

import (
	"context"
	"slices"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// openings is how often a memory of a size is opened, so that one outlier does not
// decide: an odd number, for the median.
func openings(size int) int {
	if size > 100_000 {
		return 3
	}
	return 5
}

// mostOpening is the time after which it is not opened again. Some memories take
// half a minute for the searches of one opening.
const mostOpening = 2 * time.Minute

// first opens the contender's memory several times, each in a new process, and
// notes the medians.
func (w walk) first(ctx context.Context, c *client, asked questions, size int) error {
	var all []opening
	for began := time.Now(); len(all) == 0 || len(all) < openings(size) && time.Since(began) < mostOpening; {
		o, err := opened(ctx, c, asked)
		if err != nil {
			return err
		}
		all = append(all, o)
	}
	m := ofOpenings(all)
	degraded := 0.0
	if m.degraded {
		degraded = 1
	}
	w.note("first", c, "open", size, "ms", ms(m.open.Nanoseconds()), true)
	w.note("first", c, "first search", size, "ms", ms(m.first.Nanoseconds()), true)
	w.note("first", c, "first search is degraded", size, "0 or 1", degraded, true)
	w.note("first", c, "until full speed", size, "ms", ms(m.fullSpeed.Nanoseconds()), true)
	w.note("first", c, "openings", size, "", float64(len(all)), false)
	return nil
}

// opening holds the measurements of one opening.
type opening struct {
	open      time.Duration
	first     time.Duration // search
	fullSpeed time.Duration
	degraded  bool // the first search
}

// ofOpenings is the median of each measure, degraded if any is.
func ofOpenings(all []opening) (m opening) {
	median := func(of func(opening) time.Duration) time.Duration {
		took := make([]int64, len(all))
		for i, o := range all {
			took[i] = of(o).Nanoseconds()
		}
		return time.Duration(quantile(took, 50))
	}
	m.degraded = slices.ContainsFunc(all, func(o opening) bool { return o.degraded })
	m.open = median(func(o opening) time.Duration { return o.open })
	m.first = median(func(o opening) time.Duration { return o.first })
	m.fullSpeed = median(func(o opening) time.Duration { return o.fullSpeed })
	return m
}

// opened opens the memory in a new process and asks at once, one question after
// the other, until it has been at full speed for a while.
func opened(ctx context.Context, c *client, asked questions) (o opening, err error) {
	a, err := c.again(ctx)
	if err != nil {
		return o, err
	}
	began := time.Now()
	var all []attempt
	for i := 0; !settled(all, time.Since(began)); i++ {
		q := asked.slice(i%len(asked.queries), i%len(asked.queries)+1)
		at := time.Since(began)
		a, err := c.ask(peer.Request{Op: "search", Users: q.users, Queries: q.queries})
		if err != nil {
			return o, err
		}
		all = append(all, attempt{at, time.Duration(a.Total), a.Degraded > 0})
	}
	return opening{open: time.Duration(a.Total), first: all[0].took, fullSpeed: fullSpeed(all), degraded: all[0].degraded}, nil
}

// attempt is one search after opening.
type attempt struct {
	at       time.Duration // since the file was open
	took     time.Duration
	degraded bool
}

// How long a contender is asked: the minimum number of searches, and the minimum
// and maximum time.
const (
	leastAttempts = 60
	leastAsked    = time.Second
	mostAsked     = time.Minute
)

// settled reports whether the speed is stable: it did not change in the last third
// of the time.
func settled(all []attempt, since time.Duration) bool {
	if since > mostAsked {
		return len(all) > 0
	}
	return len(all) >= leastAttempts && since >= leastAsked && fullSpeed(all) < since*2/3
}

// window is the number of consecutive searches that determine the speed.
const window = 9

// fullSpeed is when the first search ended that was as fast as they stayed: no
// later one is degraded, and it and the median of a window from it on take at
// most twice the median of the last third.
func fullSpeed(all []attempt) time.Duration {
	usual := medianTook(all[len(all)*2/3:])
	from := 0
	for i, a := range all {
		if a.degraded {
			from = i + 1
		}
	}
	for i := from; i < len(all); i++ {
		if all[i].took <= 2*usual && medianTook(all[i:min(i+window, len(all))]) <= 2*usual {
			return all[i].at + all[i].took
		}
	}
	return all[len(all)-1].at + all[len(all)-1].took
}

func medianTook(all []attempt) time.Duration {
	took := make([]int64, len(all))
	for i, a := range all {
		took[i] = a.took.Nanoseconds()
	}
	return time.Duration(quantile(took, 50))
}
