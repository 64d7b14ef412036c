package llmtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/internal/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRulesAnswerThroughTheRealClient(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.LastContains("once"), llmtest.Text("first")).Times(1)
	s.On(llmtest.Contains("tool"), llmtest.ToolCall("c1", "search_memory", map[string]any{"query": "x"}))
	s.On(llmtest.Contains("down"), llmtest.Status(503, "try later"))
	s.On(llmtest.Any, llmtest.Text("otherwise"))
	llm := s.LLM(t)
	ask := func(question string) (string, error) {
		return llms.GenerateFromSinglePrompt(t.Context(), llm, question)
	}
	for _, want := range []string{"first", "otherwise"} {
		got, err := ask("say it once")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := ask("are you down?")
	require.ErrorContains(t, err, "try later")

	resp, err := llm.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "call a tool")})
	require.NoError(t, err)
	require.Equal(t, "search_memory", resp.Choices[0].ToolCalls[0].FunctionCall.Name)
	require.JSONEq(t, `{"query":"x"}`, resp.Choices[0].ToolCalls[0].FunctionCall.Arguments)
	require.Len(t, s.Requests(), 4)
}

func TestHangEndsWithTheCaller(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Hang())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := llms.GenerateFromSinglePrompt(ctx, s.LLM(t), "hello?")
	require.ErrorContains(t, err, "deadline", "langchaingo words the error its own way")
}

func TestEmbeddings(t *testing.T) {
	s := llmtest.New(t)
	s.Embed(func(text string) []float32 { return []float32{float32(len(text)), 1} })
	vectors, err := s.Embedder(t).EmbedDocuments(t.Context(), []string{"a", "bcd"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 1}, {3, 1}}, vectors)
	require.Equal(t, 2, s.Embedded())
}
