package extension_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/schema"
)

func health(t *testing.T, x *extension.Extension) *extension.Health {
	t.Helper()
	h, err := x.Health(t.Context())
	require.NoError(t, err)
	return h
}

// Health shows a reader that keeps the log from being moved, and that it has
// gone.
func TestHealthShowsAHeldLog(t *testing.T) {
	pgtest.FileOnly(t, "its log")
	t.Parallel()
	path := fresh(t)
	x := open(t, path)
	publish := func() {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "the ferry leaves at nine")))
	}
	publish()
	require.NoError(t, x.WaitIdle(t.Context()))
	reader, err := driver.Open("file:" + path)
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	tx, err := reader.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	var n int
	require.NoError(t, tx.QueryRowContext(t.Context(), "SELECT count(*) FROM memories").Scan(&n))
	publish()
	require.Eventually(t, func() bool { return health(t, x).LogHeld > 0 }, 30*time.Second, 20*time.Millisecond)
	require.NoError(t, tx.Rollback())
	require.Eventually(t, func() bool { return health(t, x).LogHeld == 0 }, 30*time.Second, 20*time.Millisecond)
}

// Health shows an arm that fails, and that it works again.
func TestHealthShowsDegradedArms(t *testing.T) {
	embedder := &vectortest.Topics{}
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: embedder, Model: "topics"}, Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Our terrier ate the carpet")))
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Empty(t, health(t, x).Degraded)
	embedder.Broken.Store(true)
	_, err = x.Recall(t.Context(), ada, extension.Query{Text: "what about a puppy"})
	require.NoError(t, err)
	degraded := health(t, x).Degraded
	require.Len(t, degraded, 1)
	require.Equal(t, "vector", degraded[0].Arm)
	require.Equal(t, int64(1), degraded[0].Count)
	require.Zero(t, degraded[0].Whole)
	require.NotEmpty(t, degraded[0].Reason)
	require.False(t, health(t, x).Healthy())
	for user, want := range map[string]int{"ada": 1, "bob": 0} {
		stats, err := x.Stats(t.Context(), extension.Scope{User: user})
		require.NoError(t, err)
		require.Len(t, stats.Health.Degraded, want, user)
	}
}

// twelveFacts is a closed memory with a message of two users, and twelve facts of the
// first.
func twelveFacts(t *testing.T) string {
	t.Helper()
	path := fresh(t)
	x, err := extension.Open(t.Context(), path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "My piano is in Turku"), eventbus.UserMessage(extension.Scope{User: "bob"}, "Mine is not")))
	require.NoError(t, x.Close(t.Context()))
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	for i := range 12 {
		memtest.Remember(t, db, schema.Scope{User: "ada"}, schema.Memory{Kind: schema.KindFact, Content: fmt.Sprintf("ada keeps number %d of the pianos", i), Confidence: 0.8})
	}
	require.NoError(t, db.Close())
	return path
}

func TestHealthCountsOverdueNightsAndQuarantine(t *testing.T) {
	path := twelveFacts(t)
	memtest.Spoil(t, path, "UPDATE users SET nights_through = '2026-03-01' WHERE id = 1; UPDATE users SET nights_through = '2026-03-08' WHERE id = 2; UPDATE memories SET state = 'quarantined' WHERE id IN (SELECT id FROM memories ORDER BY id LIMIT 3)")
	x, err := extension.Open(t.Context(), path, &extension.Config{NoBackground: true, Location: time.UTC, Now: func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	h := health(t, x)
	require.Equal(t, int64(8), h.NightsOverdue, "2 to 9 March")
	require.Equal(t, int64(3), h.Quarantined)
	memtest.Spoil(t, path, "UPDATE users SET nights_through = '2036-03-01'")
	require.Equal(t, int64(1), health(t, x).NightsOverdue, "a day in the future was recorded by a wrong clock")
}

// One Go type stands for all models behind langchaingo's embedder: without a
// name the vectors of two of one size would be compared.
func TestWrappedEmbedderNeedsModelName(t *testing.T) {
	hidden, err := embeddings.NewEmbedder(embeddings.EmbedderClientFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		return make([][]float32, len(texts)), nil
	}))
	require.NoError(t, err)
	_, err = extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: hidden}})
	var invalid *extension.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Config.Embedding.Model", invalid.Field)
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: hidden, Model: "small"}, NoBackground: true})
	require.NoError(t, err)
	require.NoError(t, x.Close(t.Context()))
}

func TestStatsCountDormantMemoriesApart(t *testing.T) {
	path := twelveFacts(t)
	memtest.Spoil(t, path, "UPDATE memories SET state = 'dormant' WHERE id IN (SELECT id FROM memories WHERE kind = 'fact' ORDER BY id LIMIT 5)")
	x, err := extension.Open(t.Context(), path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	stats, err := x.Stats(t.Context(), extension.Scope{User: "ada"})
	require.NoError(t, err)
	require.EqualValues(t, 5, stats.Dormant["fact"])
	require.EqualValues(t, stats.States["dormant"], 5)
	require.EqualValues(t, 7, stats.Memories["fact"])
}
