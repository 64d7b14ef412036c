package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Bounds of the search along relations.
const (
	linkSeeds = 20 // the best candidates, from which it starts
	linkEdges = 10 // followed from one memory, the surest
	maxHops   = 3
)

// follow searches along the relations that the plan names, from the best candidates:
// what it reaches gets the score of where it started times the confidence of each
// relation on the way, unless its own is higher. The order of candidates is kept by
// score.
func (r *Request) follow(ctx context.Context, candidates []scored) ([]scored, error) {
	if r.divided == nil || r.divided.Hops <= 0 {
		return candidates, nil
	}
	score := make(map[int64]float64) // of the memories that were reached
	var front []int64
	for _, c := range candidates[:min(len(candidates), linkSeeds)] {
		if c.score > 0 {
			score[c.memoryID] = c.score
			front = append(front, c.memoryID)
		}
	}
	lifted := make(map[int64]float64)
	for range min(r.divided.Hops, maxHops) {
		links, err := r.Snapshot.LinksOf(ctx, r.UserID, front, r.divided.Links...)
		if err != nil {
			return candidates, err
		}
		followed := make(map[int64]int)
		reached := make(map[int64]float64)
		for _, l := range links {
			for _, from := range [...]int64{l.From.ID, l.To.ID} {
				if !slices.Contains(front, from) || followed[from] == linkEdges {
					continue
				}
				followed[from]++
				to, value := l.Other(from).ID, score[from]*l.Confidence
				lifted[to] = max(lifted[to], value)
				if _, known := score[to]; !known {
					reached[to] = max(reached[to], value)
				}
			}
		}
		maps.Copy(score, reached)
		front = slices.Sorted(maps.Keys(reached))
	}
	return r.lift(candidates, lifted), nil
}

// lift raises candidates to the scores that their relations give them. Memories that no
// arm found become candidates.
func (r *Request) lift(candidates []scored, to map[int64]float64) []scored {
	at := make(map[int64]int, len(candidates))
	for i := range candidates {
		at[candidates[i].memoryID] = i
	}
	ids := slices.SortedFunc(maps.Keys(to), func(a, b int64) int { return cmp.Or(cmp.Compare(to[b], to[a]), cmp.Compare(a, b)) })
	for rank, id := range ids {
		i, found := at[id]
		if !found {
			doc, ok := r.index.find(id)
			if !ok || !r.filter.admits(r.index, doc) {
				continue
			}
			i = len(candidates)
			candidates = append(candidates, scored{proposal: proposal{memoryID: id, place: doc + 1}, doc: doc})
		}
		c := &candidates[i]
		c.arms = append(slices.Clip(c.arms), ArmRank{Arm: "links", Rank: rank + 1, Score: to[id]})
		if more := to[id] - c.score; more > 0 {
			c.lifted, c.score = more, to[id]
		}
	}
	slices.SortStableFunc(candidates, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return candidates
}
