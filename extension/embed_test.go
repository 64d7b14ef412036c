package extension_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/vectortest"
)

func TestSearchByMeaning(t *testing.T) {
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: &vectortest.Topics{}, Model: "topics"}})
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
	emb := &vectortest.Topics{}
	emb.Broken.Store(true)
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{NoClaims: true, Embedding: extension.EmbeddingConfig{Embedder: emb}})
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
