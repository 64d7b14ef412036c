package llmtest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/prompts"

	"github.com/ebbmem/ebb/internal/llmtest"
)

// What langchaingo's OpenAI client makes of a model's answers.

func TestHandlerEventsOfModelCall(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.LastContains("down"), llmtest.Status(500, "oops"))
	s.On(llmtest.Any, llmtest.Text("tea"))
	var events []string
	llm := s.LLM(t, openai.WithCallback(heard{events: &events}))
	_, err := llm.GenerateContent(t.Context(), human("what?"))
	require.NoError(t, err)
	_, err = llm.GenerateContent(t.Context(), human("are you down?"))
	require.Error(t, err)
	require.Equal(t, []string{`model start human`, `model end "tea"`, `model start human`}, events, "of a failure, nothing")
}

func TestHandlerInCallOptions(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Text("tea"))
	var own, option []string
	prompt := prompts.NewPromptTemplate("{{.input}}", []string{"input"})
	chain := chains.NewLLMChain(s.LLM(t), prompt, chains.WithCallback(heard{events: &own}))
	_, err := chains.Run(t.Context(), chain, "what?", chains.WithCallback(heard{events: &option}))
	require.NoError(t, err)
	require.Equal(t, []string{`start map[input:what?]`, `end map["text":"tea"]`}, own)
	require.Empty(t, option)
	require.True(t, s.Requests()[0].Stream)
}

// A cancelled stream ends, half the time, without an error: a select between
// the cancelled context and the reader's error chooses either.
func TestPartialAnswerLooksComplete(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.HangAfter("half an"))
	llm := s.LLM(t)
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := llm.GenerateContent(ctx, human("what?"), llms.WithStreamingFunc(func(context.Context, []byte) error {
			cancel()
			return nil
		}))
		cancel()
		if err == nil {
			require.Equal(t, "half an", resp.Choices[0].Content)
			require.Empty(t, resp.Choices[0].StopReason, "by which it can be told")
			return
		}
		require.ErrorContains(t, err, "cancel")
	}
	t.Fatal("a cancelled stream always fails now: the guards against it may go")
}

func TestStreamErrorIsLost(t *testing.T) {
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.Raw(`data: {"choices":[{"delta":{"content":"half an"}}]}

data: {"error":{"message":"overloaded"}}

`))
	stream, _ := collect()
	resp, err := s.LLM(t).GenerateContent(t.Context(), human("what?"), stream)
	require.NoError(t, err)
	require.Equal(t, "half an", resp.Choices[0].Content)
	require.Empty(t, resp.Choices[0].StopReason)
}
