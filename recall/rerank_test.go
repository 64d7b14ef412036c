package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// kettles are a searcher's answers about sixty messages with a kettle.
func kettles(t *testing.T, rerank Reranker) *Answer {
	t.Helper()
	db := open(t)
	for i := range 60 {
		rated(t, db, fmt.Sprintf("Kettle number %d whistles in kitchen %[1]d.", i), 0.5, time.Duration(i)*time.Hour)
	}
	s := New(db, Options{Rerank: rerank})
	t.Cleanup(s.Close)
	return search(t, s, Query{Text: "Which kettle whistles?", Limit: 5})
}

func TestRerankerOrdersBestResults(t *testing.T) {
	plain := kettles(t, nil)
	calls := 0
	answer := kettles(t, func(_ context.Context, query string, memories []schema.Memory) ([]float64, error) {
		calls++
		require.Equal(t, "Which kettle whistles?", query)
		require.Len(t, memories, RerankDepth)
		scores := make([]float64, len(memories))
		for i := range memories {
			scores[i] = float64(i) // the last first
		}
		return scores, nil
	})
	require.Equal(t, 1, calls)
	require.Empty(t, answer.Degraded)
	require.Len(t, answer.Results, 5)
	require.InDelta(t, plain.Relevance, answer.Relevance, 1e-9, "relevance is not the reranker's")
	for i, r := range answer.Results {
		require.Equal(t, i+1, r.Rank)
		require.Equal(t, Signal{Name: "rerank", Value: float64(RerankDepth - 1 - i)}, r.Signals[len(r.Signals)-1])
		require.NotContains(t, texts(plain), r.Memory.Content)
	}
	same := kettles(t, func(_ context.Context, _ string, memories []schema.Memory) ([]float64, error) {
		return make([]float64, len(memories)), nil
	})
	require.Equal(t, texts(plain), texts(same), "of equals the ranker's order holds")
}

func TestFailedRerankerKeepsRankersOrder(t *testing.T) {
	plain := kettles(t, nil)
	for name, rerank := range map[string]Reranker{
		"error":   func(context.Context, string, []schema.Memory) ([]float64, error) { return nil, errors.New("down") },
		"panic":   func(context.Context, string, []schema.Memory) ([]float64, error) { panic("down") },
		"too few": func(context.Context, string, []schema.Memory) ([]float64, error) { return []float64{1}, nil },
		"not finite": func(_ context.Context, _ string, m []schema.Memory) ([]float64, error) {
			return append(make([]float64, len(m)-1), math.NaN()), nil
		},
	} {
		answer := kettles(t, rerank)
		require.Equal(t, texts(plain), texts(answer), name)
		require.Len(t, answer.Degraded, 1, name)
		require.Equal(t, "rerank", answer.Degraded[0].Arm, name)
	}
}
