package recall

import (
	"slices"

	"github.com/ebbmem/ebb/internal/text"
)

// diversify reorders by maximal marginal relevance (Carbonell and Goldstein
// 1998): each next result maximises (1−λ)·score − λ·similarity to the most
// similar result already taken. Similarity is the Jaccard overlap of terms, so
// it needs no embedder. λ = 0 keeps the order.
func diversify(results []Result, lambda float64) []Result {
	if lambda <= 0 || len(results) < 3 {
		return results
	}
	top := results[0].Score
	if top <= 0 {
		return results
	}
	texts := make([]string, len(results))
	for i := range results {
		texts[i] = results[i].Memory.Content
	}
	terms := text.TermSets(texts)
	nearest := make([]float64, len(results)) // similarity to the nearest taken
	left := make([]int, len(results))
	for i := range left {
		left[i] = i
	}
	taken := make([]Result, 0, len(results))
	for len(left) > 0 {
		at := 0
		bestValue := 0.0
		for i, r := range left {
			value := (1-lambda)*results[r].Score/top - lambda*nearest[r]
			if i == 0 || value > bestValue {
				at, bestValue = i, value
			}
		}
		chosen := left[at]
		left = slices.Delete(left, at, at+1)
		taken = append(taken, results[chosen])
		for _, r := range left {
			nearest[r] = max(nearest[r], terms[chosen].Jaccard(terms[r]))
		}
	}
	return taken
}

// withinBudget keeps the results that fit into the token budget, best first. After
// one that does not fit, smaller ones may still fit.
func withinBudget(results []Result, budget int) []Result {
	if budget <= 0 {
		return results
	}
	kept := results[:0:0]
	for _, r := range results {
		if cost := text.Tokens(r.Memory.Content); cost <= budget {
			budget -= cost
			kept = append(kept, r)
		}
	}
	return kept
}

// derivedShare bounds the share of derived memories among the first n results, for
// every n, while turns are left: one of the first three, three of the first ten. A
// dozen claims that repeat the turns below them would displace those turns.
const derivedShare = 0.3

// ration moves derived items down until they keep to [derivedShare]. Turns and
// derived items each stay in order.
func ration[T any](items []T, derived func(*T) bool) []T {
	out := make([]T, 0, len(items))
	var waiting []T // derived items moved down
	taken := 0
	room := func() bool { return float64(taken) < derivedShare*float64(len(out)+1) }
	for i := range items {
		if derived(&items[i]) {
			waiting = append(waiting, items[i])
		} else {
			out = append(out, items[i])
		}
		for len(waiting) > 0 && room() {
			out = append(out, waiting[0])
			waiting = waiting[1:]
			taken++
		}
	}
	return append(out, waiting...)
}
