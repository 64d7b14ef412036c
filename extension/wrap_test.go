package extension

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
)

// wrapped is a session with a wrapped model that the test reads the prompts of.
func wrapped(t *testing.T, said ...string) (*Extension, *Session, func(messages ...llms.MessageContent) string) {
	t.Helper()
	x, say := talked(t, Config{CoreMemory: CoreMemoryConfig{ProfileTokens: -1}})
	for i, text := range said {
		say(time.Date(2026, 2, 2+i, 10, 0, 0, 0, time.UTC), "a", text, "")
	}
	say(time.Date(2026, 2, 9, 10, 0, 0, 0, time.UTC), "", "", "")
	s, err := x.Session(Scope{User: "ada"})
	require.NoError(t, err)
	model := &recordingModel{}
	return x, s, func(messages ...llms.MessageContent) string {
		t.Helper()
		_, err := WrapModel(model, s).GenerateContent(t.Context(), messages)
		require.NoError(t, err)
		return promptText(model.seen)
	}
}

// recordingModel is a model that keeps the messages of its last call.
type recordingModel struct {
	seen []llms.MessageContent
	says *llms.ContentChoice // nil for "ok"
}

func (m *recordingModel) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	m.seen = messages
	says := m.says
	if says == nil {
		says = &llms.ContentChoice{Content: "ok"}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{says}}, nil
}

func (m *recordingModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func human(s string) llms.MessageContent { return llms.TextParts(llms.ChatMessageTypeHuman, s) }

const whereKettle = "Where is the copper kettle?"

// An answer that repeats the fence of a block is no block.
func TestRepeatedFenceIsNoBlock(t *testing.T) {
	_, _, ask := wrapped(t, "The copper kettle is in the boathouse.")
	first := ask(human(whereKettle))
	require.Contains(t, first, "boathouse")
	fence, _, _ := strings.Cut(first, "\n")
	require.Contains(t, fence, "<memory nonce=")
	second := ask(human(whereKettle), llms.TextParts(llms.ChatMessageTypeAI, fence+" says so."), human("And where exactly is the copper kettle?"))
	require.Equal(t, 2, strings.Count(second, "<memory nonce="), second)
}

// An image without words is no question, and the question before it is not asked again.
func TestImageWithoutWordsGetsNoBlock(t *testing.T) {
	_, s, ask := wrapped(t, "The copper kettle is in the boathouse.")
	require.Contains(t, ask(human(whereKettle)), "boathouse")
	history := []llms.MessageContent{human(whereKettle), llms.TextParts(llms.ChatMessageTypeAI, "In the boathouse."), {
		Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryPart("image/png", []byte("a kettle"))},
	}}
	require.Equal(t, promptText(history), ask(history...))
	said, _ := s.talk().recent(s.ext.cfg.Now())
	require.Equal(t, []string{whereKettle, "ok"}, said, "what is said of the image is no answer to the question")
}

// A message of the system's behind the question does not make it one of the same turn.
func TestNewTurnGetsNoOldBlock(t *testing.T) {
	x, s, ask := wrapped(t, "The copper kettle is in the boathouse.")
	brief := llms.TextParts(llms.ChatMessageTypeSystem, "Be brief.")
	step := llms.TextParts(llms.ChatMessageTypeAI, "I look it up.")
	require.Contains(t, ask(human(whereKettle), brief), "boathouse")
	answer, err := x.Recall(t.Context(), s.Scope(), Query{Text: whereKettle})
	require.NoError(t, err)
	for _, r := range answer.Results {
		_, err := x.Forget(t.Context(), s.Scope(), r.Memory.UID)
		require.NoError(t, err)
	}
	require.NotContains(t, ask(human(whereKettle), brief), "boathouse")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(Scope{User: "ada"}, "The copper kettle is in the attic.")))
	require.NotContains(t, ask(human(whereKettle), step), "attic", "the same turn")
}

// What the agent says before it has answered is no answer, and an answer that two sources
// report is one.
func TestTalkHoldsQuestionsAndAnswers(t *testing.T) {
	_, s, _ := wrapped(t, "The copper kettle is in the boathouse.")
	model := &recordingModel{}
	memory := s.Memory()
	inputs := map[string]any{"input": whereKettle}
	values, err := memory.LoadMemoryVariables(t.Context(), inputs)
	require.NoError(t, err)
	prompt := values["history"].(string) + "\n" + whereKettle
	say := func(c llms.ContentChoice) {
		model.says = &c
		_, err := WrapModel(model, s).GenerateContent(t.Context(), []llms.MessageContent{human(prompt)})
		require.NoError(t, err)
	}
	say(llms.ContentChoice{Content: "I look it up.", ToolCalls: []llms.ToolCall{{ID: "1"}}})
	said, _ := s.talk().recent(s.ext.cfg.Now())
	require.Equal(t, []string{whereKettle}, said)
	say(llms.ContentChoice{Content: "Thought: it is in the boathouse."})
	say(llms.ContentChoice{Content: "In the boathouse."})
	require.NoError(t, memory.SaveContext(t.Context(), inputs, map[string]any{"output": "In the boathouse."}))
	said, _ = s.talk().recent(s.ext.cfg.Now())
	require.Equal(t, []string{whereKettle, "In the boathouse."}, said)

	for _, courtesy := range []string{"Thanks!", "Bye!"} {
		model.says = &llms.ContentChoice{Content: "You're welcome!"}
		_, err = WrapModel(model, s).GenerateContent(t.Context(), []llms.MessageContent{human(courtesy)})
		require.NoError(t, err)
		said, _ = s.talk().recent(s.ext.cfg.Now())
		require.Equal(t, []string{whereKettle, "In the boathouse."}, said, "small talk does not end the talk")
	}
	model.says = &llms.ContentChoice{Content: "It is of copper."}
	_, err = WrapModel(model, s).GenerateContent(t.Context(), []llms.MessageContent{human("What is the kettle made of?")})
	require.NoError(t, err)
	said, _ = s.talk().recent(s.ext.cfg.Now())
	require.Equal(t, "It is of copper.", said[len(said)-1])
}
