package extension_test

import (
	"context"
	"testing"
	"time"

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

// remote is an embedder whose answers take a while.
type remote struct{ vectortest.Topics }

func (e *remote) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	time.Sleep(50 * time.Millisecond)
	return e.Topics.EmbedQuery(ctx, text)
}

func TestQueryTimeoutIsTheHosts(t *testing.T) {
	for timeout, served := range map[time.Duration]bool{time.Millisecond: false, time.Minute: true} {
		x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: &remote{}, QueryTimeout: timeout}})
		require.NoError(t, err)
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Our terrier ate the carpet")))
		require.NoError(t, x.WaitIdle(t.Context()))
		answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "Anything about a puppy?"})
		require.NoError(t, err)
		require.Equal(t, served, len(answer.Degraded) == 0, "%s: %v", timeout, answer.Degraded)
		require.NoError(t, x.Close(context.Background()))
	}
}

// Settings that would have no effect are refused, by the names that the host knows.
func TestEmbeddingConfigValidation(t *testing.T) {
	topics := &vectortest.Topics{}
	for field, embedding := range map[string][]extension.EmbeddingConfig{
		"Config.Embedding.Embedder":       {{Model: "m"}, {Dims: 3}, {CallsPerMinute: 1}, {QueryTimeout: time.Second}},
		"Config.Embedding.Dims":           {{Embedder: topics, Dims: -1}},
		"Config.Embedding.CallsPerMinute": {{Embedder: topics, CallsPerMinute: -1}},
		"Config.Embedding.QueryTimeout":   {{Embedder: topics, QueryTimeout: -1}},
		"Config.Embedding.Model":          {{Embedder: topics, Model: "a\x00b"}},
	} {
		for _, e := range embedding {
			_, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: e})
			var invalid *extension.InvalidError
			require.ErrorAs(t, err, &invalid, field)
			require.Equal(t, field, invalid.Field)
		}
	}
}
