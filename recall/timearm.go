package recall

import (
	"context"
	"math"
)

// timeArm proposes memories from a time that the question names ("last week", "in
// March"), resolved against the query's now.
type timeArm struct{}

func (timeArm) Name() string { return "time" }

// timeDepth is how many memories the time arm proposes when a question names a
// time: the longest texts of that time.
const timeDepth = 50

func (timeArm) Candidates(_ context.Context, r *Request) ([]Candidate, error) {
	if len(r.question.spans) == 0 {
		return nil, nil
	}
	var candidates []Candidate
	for i := range r.index.docs {
		d := &r.index.docs[i]
		if r.question.within(d.time) && r.filter.admits(r.index, uint32(i)) {
			candidates = append(candidates, Candidate{MemoryID: r.index.memories.At(i), Score: lengthOf(d), place: uint32(i) + 1})
		}
	}
	candidates = best(candidates)
	return candidates[:min(len(candidates), timeDepth)], nil
}

// within reports whether a time lies in one the question names.
func (q *question) within(at int64) bool {
	for _, s := range q.spans {
		if s.from <= at && at < s.to {
			return true
		}
	}
	return false
}

// nearness is 1 for a memory from a time that the question names and falls by 1/e for
// every ten days away from it: people mention events before and after them. It is 0 if
// the question names no time.
func (q *question) nearness(at int64) (nearest float64) {
	const decay = 10 * 24 * 3600e3 // milliseconds
	for _, s := range q.spans {
		away := max(s.from-at, at-s.to, 0)
		nearest = max(nearest, math.Exp(-float64(away)/decay))
	}
	return nearest
}
