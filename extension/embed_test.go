package extension_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// topics is an embedder that knows two subjects; it stands in for a paid one.
type topics struct{ broken atomic.Bool }

func (e *topics) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	if e.broken.Load() {
		return nil, errors.New("the embedder is away")
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = []float32{0.1, 0.1, 0.1}
		for subject, words := range [][]string{{"dog", "puppy", "terrier"}, {"piano", "cello", "music"}} {
			for _, w := range words {
				if strings.Contains(strings.ToLower(t), w) {
					vectors[i][subject] = 1
				}
			}
		}
	}
	return vectors, nil
}

func (e *topics) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func TestSearchByMeaning(t *testing.T) {
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: &topics{}, Model: "topics"}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(),
		eventbus.UserMessage(ada, "Our terrier ate the carpet"), eventbus.UserMessage(ada, "I practise the cello at six")))
	require.NoError(t, x.WaitIdle(t.Context()))

	found := recalled(t, x, ada, "Anything about a puppy?")
	require.NotEmpty(t, found)
	require.Equal(t, "Our terrier ate the carpet", found[0], "no word in common")
	stats, err := x.Stats(t.Context(), ada)
	require.NoError(t, err)
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.Equal(t, "topics", health.Vectors.Serving)
	require.Zero(t, stats.Health.Vectors.Pending)
}

func TestUnreachableEmbedder(t *testing.T) {
	emb := &topics{}
	emb.broken.Store(true)
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: emb}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Our terrier ate the carpet")))
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "terrier"})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1, "text search does not wait")
	stats, err := x.Stats(t.Context(), ada)
	require.NoError(t, err)
	require.EqualValues(t, 1, stats.Health.Vectors.Pending)
}
