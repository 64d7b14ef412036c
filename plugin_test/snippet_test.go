package plugin_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// What a host writes, with every option of the session. That it
// compiles is most of the test.
func TestPublicAPI(t *testing.T) {
	var (
		llm  llms.Model          = forbidden{}
		emb  embeddings.Embedder = forbidden{}
		ctx                      = context.Background()
		path                     = filepath.Join(t.TempDir(), "memory.db")
	)
	ext, err := extension.Open(ctx, path, &extension.Config{Model: llm, Embedding: extension.EmbeddingConfig{Embedder: emb}, NoBackground: true})
	require.NoError(t, err)
	defer ext.Close(ctx)
	s, err := ext.Session(extension.Scope{User: "ada", Session: "2026-03-01"})
	require.NoError(t, err)
	agent := agents.NewConversationalAgent(llm, s.Tools())
	exec := agents.NewExecutor(agent, agents.WithMemory(s.Memory()))
	require.NotNil(t, exec.Memory)

	require.NoError(t, ext.Bus().Publish(ctx, eventbus.UserMessage(s.Scope(), "hello")))
	require.NotNil(t, extension.WrapModel(llm, s))
	require.NotNil(t, s.Callbacks(extension.WithKeys("topic", "body")))

	client, err := openai.New(openai.WithToken("none"), openai.WithEmbeddingModel("text-embedding-3-large"))
	require.NoError(t, err)
	embedder, err := embeddings.NewEmbedder(client)
	require.NoError(t, err)
	cfg := &extension.Config{Embedding: extension.EmbeddingConfig{Embedder: embedder, Model: "text-embedding-3-large", Dims: 256}, NoBackground: true}
	other, err := extension.Open(ctx, filepath.Join(t.TempDir(), "memory.db"), cfg)
	require.NoError(t, err)
	require.NoError(t, other.Close(ctx))
}
