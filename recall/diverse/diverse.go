// Package diverse orders results so that they do not repeat each other.
package diverse

import (
	"slices"

	"github.com/ebbmem/ebb/internal/text"
)

// Order returns the places of results by maximal marginal relevance (Carbonell and
// Goldstein 1998): each next result maximises (1−λ)·score − λ·similarity to the most
// similar result already taken. Similarity is the Jaccard overlap of terms, so it needs
// no embedder. Scores come best first, and the first is above 0.
func Order(scores []float64, texts []string, lambda float64) []int {
	terms := text.TermSets(texts)
	nearest := make([]float64, len(scores)) // similarity to the nearest taken
	left := make([]int, len(scores))
	for i := range left {
		left[i] = i
	}
	taken := make([]int, 0, len(scores))
	for len(left) > 0 {
		at := 0
		bestValue := 0.0
		for i, r := range left {
			value := (1-lambda)*scores[r]/scores[0] - lambda*nearest[r]
			if i == 0 || value > bestValue {
				at, bestValue = i, value
			}
		}
		chosen := left[at]
		left = slices.Delete(left, at, at+1)
		taken = append(taken, chosen)
		for _, r := range left {
			nearest[r] = max(nearest[r], terms[chosen].Jaccard(terms[r]))
		}
	}
	return taken
}

// DerivedShare bounds the share of derived memories among the first n results, for
// every n, while turns are left: one of the first three, three of the first ten. A
// dozen claims that repeat the turns below them would displace those turns.
const DerivedShare = 0.3

// Ration moves derived items down until they keep to [DerivedShare]. Turns and
// derived items each stay in order. What is given stays; without derived items it is
// returned.
func Ration[T any](items []T, derived func(*T) bool) []T {
	turns := 0 // that stand first
	for turns < len(items) && !derived(&items[turns]) {
		turns++
	}
	if turns == len(items) {
		return items
	}
	out := append(make([]T, 0, len(items)), items[:turns]...)
	var waiting []T // derived items moved down
	taken := 0
	room := func() bool { return float64(taken) < DerivedShare*float64(len(out)+1) }
	for i := turns; i < len(items); i++ {
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
