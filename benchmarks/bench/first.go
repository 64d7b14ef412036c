package main

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// first opens the contender's memory in a new process and asks at once, one
// question after the other, until it has been at full speed for a while.
func (w walk) first(ctx context.Context, c *client, asked questions, size int) error {
	opened, err := c.again(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	var all []attempt
	for i := 0; !settled(all, time.Since(began)); i++ {
		q := asked.slice(i%len(asked.queries), i%len(asked.queries)+1)
		at := time.Since(began)
		a, err := c.ask(peer.Request{Op: "search", Users: q.users, Queries: q.queries})
		if err != nil {
			return err
		}
		all = append(all, attempt{at, time.Duration(a.Total), a.Degraded > 0})
	}
	degraded := 0.0
	if all[0].degraded {
		degraded = 1
	}
	w.note("first", c, "open", size, "ms", ms(opened.Total), true)
	w.note("first", c, "first search", size, "ms", ms(all[0].took.Nanoseconds()), true)
	w.note("first", c, "first search is degraded", size, "0 or 1", degraded, true)
	w.note("first", c, "until full speed", size, "ms", ms(fullSpeed(all).Nanoseconds()), true)
	return nil
}

// attempt is one search after opening.
type attempt struct {
	at       time.Duration // since the file was open
	took     time.Duration
	degraded bool
}

// How long a contender is asked: so many searches at least, for so long at
// least, and no longer than the last.
const (
	leastAttempts = 60
	leastAsked    = time.Second
	mostAsked     = time.Minute
)

// settled reports that enough was asked: the last third of the time brought
// nothing new.
func settled(all []attempt, since time.Duration) bool {
	if since > mostAsked {
		return len(all) > 0
	}
	return len(all) >= leastAttempts && since >= leastAsked && fullSpeed(all) < since*2/3
}

// window is how many searches in a row tell the speed.
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
