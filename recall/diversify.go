package recall

import (
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/diverse"
)

// diversify reorders by [diverse.Order]. λ = 0 keeps the order.
func diversify(results []Result, lambda float64) []Result {
	if lambda <= 0 || len(results) < 3 || results[0].Score <= 0 {
		return results
	}
	texts, scores := make([]string, len(results)), make([]float64, len(results))
	for i := range results {
		texts[i], scores[i] = results[i].Memory.Content, results[i].Score
	}
	taken := make([]Result, 0, len(results))
	for _, at := range diverse.Order(scores, texts, lambda) {
		taken = append(taken, results[at])
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
