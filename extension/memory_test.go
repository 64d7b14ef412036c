package extension_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// wrapped is a host's own memory around one of langchaingo's.
type wrapped struct{ *lcmemory.ConversationBuffer }

// An inner memory that takes one text keeps the turn whatever else a chain is
// given and returns.
func TestInnerMemoryWithSeveralValues(t *testing.T) {
	question := map[string]any{"question": "Wie spät ist es?", "language": "German"}
	unusual := map[string]any{"topic": "Wie spät ist es?", "language": "German"}
	answer := map[string]any{"output": "Zwölf."}
	steps := map[string]any{"output": "Zwölf.", "intermediateSteps": []lcschema.AgentStep{}}
	titled := map[string]any{"body": "Zwölf.", "title": "Uhrzeit"}
	keys := extension.WithKeys("topic", "body")
	inner := func(m lcschema.Memory) extension.MemoryOption { return extension.WithInner(m) }
	for name, c := range map[string]struct {
		inputs, outputs map[string]any
		opts            []extension.MemoryOption
	}{
		"two inputs":             {question, answer, nil},
		"intermediate steps":     {question, steps, nil},
		"named keys":             {unusual, titled, []extension.MemoryOption{keys}},
		"a window":               {question, steps, []extension.MemoryOption{inner(lcmemory.NewConversationWindowBuffer(3))}},
		"a host's own":           {unusual, titled, []extension.MemoryOption{keys, inner(wrapped{lcmemory.NewConversationBuffer()})}},
		"keys of its own":        {question, steps, []extension.MemoryOption{inner(lcmemory.NewConversationBuffer(lcmemory.WithInputKey("question"), lcmemory.WithOutputKey("output")))}},
		"one key of its own":     {question, steps, []extension.MemoryOption{inner(lcmemory.NewConversationBuffer(lcmemory.WithInputKey("question")))}},
		"a blank one of several": {map[string]any{"question": "", "input": "Wie spät ist es?"}, answer, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := session(t, open(t, fresh(t)), ada).Memory(c.opts...)
			_, err := m.LoadMemoryVariables(t.Context(), c.inputs)
			require.NoError(t, err)
			require.NoError(t, m.SaveContext(t.Context(), c.inputs, c.outputs))
			loaded, err := m.LoadMemoryVariables(t.Context(), c.inputs)
			require.NoError(t, err)
			require.Contains(t, loaded["history"], "Human: Wie spät ist es?\nAI: Zwölf.")
		})
	}
}

func TestChainWithTwoInputs(t *testing.T) {
	x := open(t, fresh(t))
	var model echo
	chain := chains.NewLLMChain(&model, prompts.NewPromptTemplate("{{.history}}\nIn {{.language}}: {{.question}}", []string{"history", "language", "question"}))
	chain.Memory = session(t, x, ada).Memory()
	for _, question := range []string{"Where is Graça?", "And Alfama?"} {
		_, err := chains.Predict(t.Context(), chain, map[string]any{"question": question, "language": "Portuguese"})
		require.NoError(t, err)
	}
	require.Contains(t, model.prompt, "Human: Where is Graça?\nAI: ok\n")
}

// What the inner memory or the host's keys make impossible is reported in the
// first turn, in words that hold nothing of it.
func TestFirstFailureOfAMemory(t *testing.T) {
	turn := func(t *testing.T, x *extension.Extension, opts ...extension.MemoryOption) {
		m := session(t, x, ada).Memory(opts...)
		inputs := map[string]any{"question": "Is the zebra well?", "language": "German"}
		_, err := m.LoadMemoryVariables(t.Context(), inputs)
		require.NoError(t, err)
		require.NoError(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "The zebra is well."}))
	}
	for name, c := range map[string]struct {
		opt  extension.MemoryOption
		want string
	}{
		"the inner memory wants another key": {extension.WithInner(lcmemory.NewConversationBuffer(lcmemory.WithInputKey("input"))),
			"the inner memory keeps nothing of the turn: of inputs language, question and outputs output it takes one text each; set its InputKey and OutputKey, or WithKeys"},
		"the inner memory fails":  {extension.WithInner(unkept{}), "the inner memory failed: an error without a type"},
		"the inner memory panics": {extension.WithInner(panicking{}), "the inner memory failed: panicked with a string"},
		"a key that is not there": {extension.WithKeys("qestion", ""),
			`inputs hold no text under "qestion", which WithKeys names, so nothing of them is stored; there are language, question`},
	} {
		t.Run(name, func(t *testing.T) {
			var f faults
			x, err := extension.Open(t.Context(), fresh(t), &extension.Config{NoBackground: true, Hooks: extension.Hooks{OnError: f.hook}})
			require.NoError(t, err)
			turn(t, x, c.opt)
			require.NotEmpty(t, f.all)
			require.Equal(t, "memory: "+c.want, f.all[0])
			require.NotContains(t, f.all, "zebra")
			require.NoError(t, x.Close(t.Context()))
		})
	}
	t.Run("without a hook it is logged, once", func(t *testing.T) {
		var log bytes.Buffer
		defer slog.SetDefault(slog.Default())
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		x, err := extension.Open(t.Context(), fresh(t), &extension.Config{NoBackground: true})
		require.NoError(t, err)
		for range 3 {
			turn(t, x, extension.WithInner(unkept{}))
		}
		require.NoError(t, x.Close(t.Context()))
		require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("the inner memory failed")), "%s", &log)
	})
}

// unkept cannot store a turn, and says of which.
type unkept struct{ lcmemory.Simple }

func (unkept) SaveContext(_ context.Context, inputs, _ map[string]any) error {
	return errors.New("no room for " + inputs["question"].(string))
}

// panicking panics where it is asked to store a turn.
type panicking struct{ lcmemory.Simple }

func (panicking) SaveContext(context.Context, map[string]any, map[string]any) error { panic("no room") }

func TestContradictoryOptions(t *testing.T) {
	s := session(t, open(t, fresh(t)), ada)
	for name, c := range map[string]struct {
		opts []extension.MemoryOption
		want string
	}{
		"the variable is the history's":   {[]extension.MemoryOption{extension.WithVariable("history")}, "in which the inner memory has its history"},
		"the variable is an input":        {[]extension.MemoryOption{extension.WithVariable("question")}, "which is an input of the chain"},
		"the key is the memory's own":     {[]extension.MemoryOption{extension.WithKeys("history", "")}, "which is a variable of the memory"},
		"the key is the other variable":   {[]extension.MemoryOption{extension.WithVariable("past"), extension.WithKeys("past", "")}, "which is a variable of the memory"},
		"the history has another name":    {[]extension.MemoryOption{extension.WithVariable("past"), extension.WithInner(lcmemory.NewConversationBuffer(lcmemory.WithMemoryKey("past")))}, "in which the inner memory has its history"},
		"stored turns and another memory": {[]extension.MemoryOption{extension.WithStoredTurns(2), extension.WithInner(lcmemory.NewConversationBuffer())}, "which WithInner replaces"},
		"fewer stored turns than none":    {[]extension.MemoryOption{extension.WithStoredTurns(-5)}, "is -5, must be from 0 to 1000"},
		"too many stored turns":           {[]extension.MemoryOption{extension.WithStoredTurns(1001)}, "is 1001, must be from 0 to 1000"},
		"nothing contradicts":             {[]extension.MemoryOption{extension.WithVariable("past"), extension.WithKeys("question", "")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Memory(c.opts...).LoadMemoryVariables(t.Context(), map[string]any{"question": "Is the zebra well?"})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var invalid *extension.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Contains(t, err.Error(), c.want)
		})
	}
}

func TestStoredTurns(t *testing.T) {
	x := open(t, fresh(t))
	chat, other := extension.Scope{User: "ada", Session: "chat"}, extension.Scope{User: "ada", Session: "other"}
	loaded := func(m *extension.Memory, question string) string {
		values, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": question})
		require.NoError(t, err)
		return fmt.Sprint(values["history"])
	}
	turn := func(m *extension.Memory, said, answered string) string {
		history := loaded(m, said)
		require.NoError(t, m.SaveContext(t.Context(), map[string]any{"input": said}, map[string]any{"output": answered}))
		return history
	}
	require.Empty(t, turn(session(t, x, chat).Memory(extension.WithStoredTurns(3), extension.WithVariable("recalled")), "Is the zebra well?", "She limps."))
	turn(session(t, x, other).Memory(), "Is it raining?", "It pours.")

	t.Run("a window of the newest, then as any other buffer", func(t *testing.T) {
		m := session(t, x, chat).Memory(extension.WithStoredTurns(1), extension.WithVariable("recalled"))
		require.Equal(t, "AI: She limps.", turn(m, "And the gnu?", "He sleeps."))
		require.Equal(t, "AI: She limps.\nHuman: And the gnu?\nAI: He sleeps.", loaded(m, "Since when?"))
	})
	t.Run("the question of a turn that failed comes once", func(t *testing.T) {
		m := session(t, x, chat).Memory(extension.WithStoredTurns(2), extension.WithVariable("recalled"))
		require.Equal(t, "AI: He sleeps.", loaded(m, "Since when?"))
	})
	t.Run("so does one that was stored otherwise", func(t *testing.T) {
		for i, question := range []string{"line one\r\nline two?", "Is the cafe\u0301 open?", "Is 4111 1111 1111 1111 my card?", "Is sk-ant-api03-" + strings.Repeat("abcd1234", 5) + " my key?"} {
			chat := extension.Scope{User: "ada", Session: fmt.Sprint("failed", i)}
			for range 2 {
				m := session(t, x, chat).Memory(extension.WithStoredTurns(1), extension.WithVariable("recalled"))
				require.Empty(t, loaded(m, question))
			}
		}
	})
	t.Run("cleared before it was filled", func(t *testing.T) {
		m := session(t, x, chat).Memory(extension.WithStoredTurns(2), extension.WithVariable("recalled"))
		require.NoError(t, m.Clear(t.Context()))
		require.NotContains(t, loaded(m, "And the emu?"), "sleeps")
	})
	t.Run("overlapping turns", func(t *testing.T) { // for the race detector
		m := session(t, x, chat).Memory(extension.WithStoredTurns(2), extension.WithVariable("recalled"))
		var turns sync.WaitGroup
		for i := range 32 {
			turns.Go(func() {
				values, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": fmt.Sprint("What about stall ", i)})
				assert.NoError(t, err)
				assert.Contains(t, values["history"], "Human: ")
			})
		}
		turns.Wait()
	})
	t.Run("what no conversation says", func(t *testing.T) {
		unnamed := session(t, x, extension.Scope{User: "ada"})
		_, err := unnamed.Memory(extension.WithStoredTurns(2), extension.WithVariable("recalled")).LoadMemoryVariables(t.Context(), map[string]any{"input": "Hello?"})
		require.ErrorContains(t, err, "WithStoredTurns")
		_, err = unnamed.Turns(t.Context(), 2)
		require.ErrorContains(t, err, "Scope.Session")
		for _, n := range []int{-5, 0, 1001} {
			_, err = session(t, x, chat).Turns(t.Context(), n)
			require.ErrorContains(t, err, fmt.Sprintf("n is %d, must be from 1 to 1000", n))
		}
		turns, err := session(t, x, extension.Scope{User: "ada", Session: "new"}).Turns(t.Context(), 5)
		require.NoError(t, err)
		require.Empty(t, turns)
	})
	t.Run("tools' and quarantined messages", func(t *testing.T) {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(other, "weather", "12 degrees")))
		turns, err := session(t, x, other).Turns(t.Context(), 5)
		require.NoError(t, err)
		require.Equal(t, []llms.ChatMessage{llms.HumanChatMessage{Content: "Is it raining?"}, llms.AIChatMessage{Content: "It pours."}}, turns)
	})
}

// In a conversation of several people and agents the turns say whose they are.
func TestTurnsOfSeveral(t *testing.T) {
	x := open(t, fresh(t))
	publish := func(event eventbus.Event) { require.NoError(t, x.Bus().Publish(t.Context(), event)) }
	turns := func(scope extension.Scope) []llms.ChatMessage {
		all, err := session(t, x, scope).Turns(t.Context(), 10)
		require.NoError(t, err)
		return all
	}
	cook := extension.Scope{User: "ada", Session: "chat", Agent: "cook"}
	waiter := extension.Scope{User: "ada", Session: "chat", Agent: "waiter"}
	publish(eventbus.UserMessage(cook, "I eat fish.", eventbus.Speaker("Ann")))
	publish(eventbus.AgentResponse(cook, "Trout, then."))
	require.Equal(t, []llms.ChatMessage{llms.HumanChatMessage{Content: "I eat fish."}, llms.AIChatMessage{Content: "Trout, then."}}, turns(cook), "one speaker needs no name")
	publish(eventbus.UserMessage(cook, "I don't.", eventbus.Speaker("Ben")))
	publish(eventbus.AgentResponse(waiter, "Table five."))
	publish(eventbus.UserMessage(cook, "What's for me?", eventbus.Speaker("Ben")))
	said := []llms.ChatMessage{
		llms.HumanChatMessage{Content: "Ann: I eat fish."}, llms.AIChatMessage{Content: "Trout, then."}, llms.HumanChatMessage{Content: "Ben: I don't."},
		llms.HumanChatMessage{Content: "waiter: Table five."}, llms.HumanChatMessage{Content: "Ben: What's for me?"},
	}
	require.Equal(t, said, turns(cook))
	unnamed := turns(extension.Scope{User: "ada", Session: "chat"})
	require.Equal(t, llms.AIChatMessage{Content: "Table five."}, unnamed[3], "of no agent in particular")

	m := session(t, x, cook).Memory(extension.WithStoredTurns(10), extension.WithVariable("recalled"))
	values, err := m.LoadMemoryVariables(t.Context(), map[string]any{"input": "What's for me?"})
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(fmt.Sprint(values["history"]), "Ben:"), "the question comes once")
}

func TestCallbacksWithKeys(t *testing.T) {
	x := open(t, fresh(t))
	h := session(t, x, ada).Callbacks(extension.WithKeys("topic", "body"))
	h.HandleChainStart(t.Context(), map[string]any{"topic": "giraffe ears", "style": "short"})
	h.HandleChainEnd(t.Context(), map[string]any{"title": "Giraffes", "body": "A giraffe has two."})
	require.ElementsMatch(t, []string{"giraffe ears", "A giraffe has two."}, recalled(t, x, ada, "giraffe"))
}

// No door is silent once the memory is closed.
func TestClosedMemory(t *testing.T) {
	var f faults
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Hooks: extension.Hooks{OnError: f.hook}})
	require.NoError(t, err)
	s := session(t, x, ada)
	m := s.Memory()
	require.NoError(t, x.Close(t.Context()))
	inputs := map[string]any{"input": ""} // even with nothing to store
	_, err = m.LoadMemoryVariables(t.Context(), inputs)
	require.ErrorIs(t, err, extension.ErrClosed)
	require.ErrorIs(t, m.SaveContext(t.Context(), inputs, map[string]any{"output": "hi"}), extension.ErrClosed)
	require.ErrorIs(t, m.Clear(t.Context()), extension.ErrClosed)
	_, err = x.Session(extension.Scope{User: "ada"})
	require.ErrorIs(t, err, extension.ErrClosed)
	var model echo
	_, err = llms.GenerateFromSinglePrompt(t.Context(), extension.WrapModel(&model, s), "hello")
	require.ErrorIs(t, err, extension.ErrClosed)
	require.Empty(t, model.prompt, "the model was not asked")
	_, err = s.Preview(t.Context(), "hello")
	require.ErrorIs(t, err, extension.ErrClosed)
	s.Callbacks().HandleChainStart(t.Context(), map[string]any{"input": "hello"})
	require.NotEmpty(t, f.all, "a handler returns nothing")
	response, err := s.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: "search_memory", Arguments: `{"query":"zebra"}`}})
	require.NoError(t, err)
	require.Contains(t, response.Content, extension.ErrClosed.Error())
}
