package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/lexicon"
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

// What a plan summarises and what has faded are cut to the limit as without a reranker.
func TestRerankerKeepsTheLimit(t *testing.T) {
	db := open(t)
	for day := range 40 {
		said := fmt.Sprintf("Zither%d, lantern%[1]d", day)
		for more := range day % 9 { // some days have more to tell
			said += fmt.Sprintf(", tulip%dx%d", day, more)
		}
		rated(t, db, said+".", 0.5, time.Duration(41-day)*24*time.Hour)
	}
	for i := range 8 {
		m := &schema.Memory{Kind: schema.KindFact, Content: fmt.Sprintf("Kettle number %d whistles.", i), EventTime: schema.At(noon), Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
		changeState(t, db, store(t, db, ada, "", m), schema.StateDormant)
	}
	same := func(_ context.Context, _ string, memories []schema.Memory) ([]float64, error) {
		return make([]float64, len(memories)), nil
	}
	plan := lexicon.PlanOf("What did I do in April?", noon)
	require.True(t, plan.Story)
	for _, q := range []Query{
		{Text: "What did I do in April?", Plan: &plan, Limit: 5},
		{Text: "Which kettle whistles?", Faded: true, Limit: 3},
		{Text: "Which kettle whistles?", Faded: true, Limit: 3, Budget: 40},
	} {
		var found [][]string
		for _, rerank := range []Reranker{nil, same} {
			s := New(db, Options{Rerank: rerank})
			found = append(found, texts(search(t, s, q)))
			s.Close()
		}
		require.NotEmpty(t, found[0])
		require.Equal(t, found[0], found[1], "%+v", q)
	}
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
