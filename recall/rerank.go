package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ebbmem/ebb/schema"
)

// A Reranker reads a query and the texts of memories together, such as a cross-encoder
// or a reranking service, and returns a score for each memory, larger for better. It is
// called outside of any transaction, once for a search, with at most [RerankDepth]
// memories, or as many as the query's limit. It decides the order, and so which ones are
// returned; relevance is as without it. What a plan ranks first, and faded memories,
// keep their places. After an error, a panic, another number of scores or a score that
// is not finite, the order is the ranker's and the answer says so ([Degraded]).
//
// The search waits for it; it must be safe for concurrent use and heed ctx.
type Reranker func(ctx context.Context, query string, memories []schema.Memory) ([]float64, error)

// RerankDepth is how many of the best results a [Reranker] orders.
const RerankDepth = 50

// rerankSignal is the name of the signal that shows a Reranker's score.
const rerankSignal = "rerank"

// rerank reorders the results of a search that was widened to RerankDepth, and cuts
// them to the limit and the budget of q.
func (s *Searcher) rerank(ctx context.Context, q Query, answer *Answer) error {
	results := answer.Results
	from := 0 // what a plan ranks first stays there
	for from < len(results) && results[from].Why != "" {
		from++
	}
	to := len(results)
	for to > from && results[to-1].Memory.State == schema.StateDormant && !q.Dormant {
		to--
	}
	open := results[from:to]
	if len(open) > 1 {
		memories := make([]schema.Memory, len(open))
		for i := range open {
			memories[i] = open[i].Memory
		}
		scores, err := askReranker(ctx, s.opts.Rerank, q.Text, memories)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			answer.Degraded = append(answer.Degraded, Degraded{Arm: rerankSignal, Reason: err.Error()})
		} else {
			for i := range open {
				open[i].Signals = append(open[i].Signals, Signal{Name: rerankSignal, Value: scores[i]})
			}
			slices.SortStableFunc(open, func(a, b Result) int {
				return cmp.Compare(b.Signals[len(b.Signals)-1].Value, a.Signals[len(a.Signals)-1].Value)
			})
		}
	}
	best, faded := withinBudget(results[:to], q.Budget), withinBudget(results[to:], q.Budget)
	answer.Results = append(slices.Clone(best[:min(len(best), q.Limit)]), faded[:min(len(faded), q.Limit)]...)
	for i := range answer.Results {
		answer.Results[i].Rank = i + 1
	}
	return nil
}

// askReranker calls the reranker and checks what it returns.
func askReranker(ctx context.Context, rerank Reranker, query string, memories []schema.Memory) (scores []float64, err error) {
	defer schema.RecoverForeign("Rerank", &err)
	if scores, err = rerank(ctx, query, memories); err != nil {
		return nil, fmt.Errorf("the reranker failed: %w", err)
	}
	if len(scores) != len(memories) {
		return nil, &schema.InvalidError{Field: "Rerank", Reason: fmt.Sprintf("returned %d scores for %d memories", len(scores), len(memories))}
	}
	if slices.ContainsFunc(scores, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil, &schema.InvalidError{Field: "Rerank", Reason: "returned a score that is not a finite number"}
	}
	return scores, nil
}
