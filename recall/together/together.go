// Package together knows which memories were shown to a model together time and again
// (cognitive-v9.md, Co-activation Tracking). It is read from the records of what was
// shown; nothing is stored.
package together

import (
	"context"
	"sync"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

const (
	least    = 3   // times that two memories were shown together
	showings = 100 // the last ones count, with the ten best of each
	cached   = 5 * time.Minute
	users    = 1000 // whose pairs are kept
)

// Cache holds the pairs of users, as they were at most five minutes before. The zero
// value is empty. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	users map[int64]pairs
}

type pairs struct {
	at time.Time
	of map[int64][]int64
}

// With returns the memories that were shown together with one of the given ones three
// times or more, all by row id. now is the memory's clock.
func (c *Cache) With(ctx context.Context, s *schema.Snapshot, userID int64, now time.Time, memories []int64) (map[int64]bool, error) {
	of, err := c.pairs(ctx, s, userID, now)
	if err != nil || len(of) == 0 {
		return nil, err
	}
	companions := make(map[int64]bool)
	for _, m := range memories {
		for _, other := range of[m] {
			companions[other] = true
		}
	}
	return companions, nil
}

func (c *Cache) pairs(ctx context.Context, s *schema.Snapshot, userID int64, now time.Time) (map[int64][]int64, error) {
	c.mu.Lock()
	known, there := c.users[userID]
	c.mu.Unlock()
	if since := now.Sub(known.at); there && since >= 0 && since < cached {
		return known.of, nil
	}
	of := make(map[int64][]int64)
	counts := make(map[[2]int64]int)
	err := inspect.Showings(ctx, s, userID, showings, func(memories []int64) {
		for i, a := range memories {
			for _, b := range memories[i+1:] {
				pair := [2]int64{min(a, b), max(a, b)}
				if counts[pair]++; counts[pair] == least {
					of[a], of[b] = append(of[a], b), append(of[b], a)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == nil || len(c.users) >= users {
		c.users = make(map[int64]pairs)
	}
	c.users[userID] = pairs{now, of}
	return of, nil
}
