package recall

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// partsTime is how long the parts of a question may take beside the question itself,
// unless [Query.Wait] is set.
const partsTime = 20 * time.Millisecond

// partRelevance is the least relevance to a part, between those of its worst and best
// candidate, of what counts as found for it.
const partRelevance = 0.5

// takeApart asks the planner about a question. A plan that cannot be followed is left
// out: the question itself is searched for.
func (s *Searcher) takeApart(q *Query) {
	if s.opts.Planner == nil || q.TextOnly || q.Undivided {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			q.divided, q.planFault = nil, schema.ForeignPanic("the planner", r).Error()
		}
	}()
	p := s.opts.Planner(planner.Question{Text: q.Text}).Usable(q.Text, maxQuery)
	if q.Limit == 0 && p.Limit > 0 && p.Limit <= MaxLimit {
		q.Limit = p.Limit
	}
	q.divided = &p
}

// embed gets the vectors of a question, its parts and its hypotheses at once, within
// the time of one. The vector that is looked for is the mean of the question's and of
// the hypotheses' vectors.
func (s *Searcher) embed(ctx context.Context, scope schema.Scope, q *Query) {
	if q.TextOnly {
		return
	}
	if q.divided == nil || s.vectors == nil {
		q.meaning = s.meaning(ctx, scope, q)
		return
	}
	texts := slices.Concat(q.divided.Queries, q.divided.Hypotheses)
	all := make([]meaning, len(texts))
	var wg sync.WaitGroup
	for i, text := range texts {
		wg.Go(func() {
			one := *q
			one.Text = text
			all[i] = s.meaning(ctx, scope, &one)
		})
	}
	wg.Wait()
	for i := range all[1:] {
		all[1+i].done()
	}
	q.meaning, q.meanings = all[0], all[1:len(q.divided.Queries)]
	q.meaning.vector = centroid(all[0], all[len(q.divided.Queries):])
}

// centroid is the mean of the vectors, of length 1; those that are missing, of another
// generation or of another size do not count.
func centroid(of meaning, others []meaning) []float32 {
	vectors := []vecstore.Vector{of.vector}
	for _, o := range others {
		if of.generation != nil && o.generation != nil && o.err == nil && o.generation.ID == of.generation.ID && len(o.vector) == len(of.vector) {
			vectors = append(vectors, o.vector)
		}
	}
	if of.err != nil || len(vectors) == 1 {
		return of.vector
	}
	mean := make(vecstore.Vector, len(of.vector))
	for _, v := range vectors {
		for i := range v {
			mean[i] += v[i]
		}
	}
	if mean, err := mean.Unit(len(mean)); err == nil {
		return mean
	}
	return of.vector // they cancel each other out
}

// addParts searches for the parts of a question as well and fuses the rankings. Parts
// for which there is no time are left out, and reported.
func (s *Searcher) addParts(ctx context.Context, snap *schema.Snapshot, userID int64, q Query, all *ranked) error {
	if q.planFault != "" {
		all.degraded = append(all.degraded, Degraded{"plan", q.planFault})
	}
	if q.divided == nil || len(q.divided.Queries) < 2 {
		return nil
	}
	began := time.Now()
	first := 0 // what [Query.Plan] picked stays first
	for first < len(all.candidates) && all.candidates[first].picked != nil {
		first++
	}
	picked := all.candidates[:first:first]
	lists := [][]scored{all.candidates[first:]}
	for i, text := range q.divided.Queries[1:] {
		if !q.Wait && time.Since(began) > partsTime {
			all.degraded = append(all.degraded, Degraded{"plan", fmt.Sprintf("%d parts of the question were not searched for in time", len(q.divided.Queries)-1-i)})
			break
		}
		part := q
		part.Text, part.Plan, part.meaning = text, nil, meaning{}
		if i < len(q.meanings) {
			part.meaning = q.meanings[i]
		}
		found, err := s.order(ctx, snap, userID, part)
		if err != nil {
			return err
		}
		maps.Copy(all.derived, found.derived)
		lists = append(lists, s.partly(found, q.Limit))
	}
	if s.scorer != nil { // each part by its relevance: the score would order the best of a part by what it does not ask
		for _, list := range lists {
			slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.relevant, a.relevant) })
		}
	}
	all.candidates = append(picked, fuseParts(lists, picked)...)
	return nil
}

// partly returns the first candidates of a part. What their passages hold is numbered
// by the part's words, so the part's topic judges them here, and the question's does
// not read them.
func (s *Searcher) partly(found *ranked, limit int) []scored {
	candidates := found.candidates
	if s.scorer != nil { // what is found for every part, and is relevant to none, would come first
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c scored) bool { return c.relevant < partRelevance })
	}
	candidates = candidates[:min(len(candidates), limit)]
	judged := make([]Result, len(candidates))
	for i := range candidates {
		judged[i] = s.result(&candidates[i], new(schema.Memory), &found.weights)
	}
	found.topic.judge(judged)
	for i := range candidates {
		candidates[i].passage = passage{stretch: candidates[i].passage.stretch}
		candidates[i].least = judged[i].Relevance
	}
	return candidates
}

// fuseParts fuses the rankings of a question, the first, and of its parts.
func fuseParts(lists [][]scored, except []scored) []scored {
	known := make(map[int64]scored)
	ids := make([][]int64, len(lists))
	for i, list := range lists {
		for rank, c := range list {
			if slices.ContainsFunc(except, func(e scored) bool { return e.memoryID == c.memoryID }) {
				continue
			}
			ids[i] = append(ids[i], c.memoryID)
			if first, ok := known[c.memoryID]; ok {
				first.least = max(first.least, c.least)
				c = first
			}
			if i > 0 {
				c.arms = append(slices.Clip(c.arms), ArmRank{Arm: fmt.Sprintf("part %d", i), Rank: rank + 1})
			}
			known[c.memoryID] = c
		}
	}
	fused := make([]scored, 0, len(known))
	for _, id := range planner.Fuse(ids) {
		fused = append(fused, known[id])
	}
	return fused
}
