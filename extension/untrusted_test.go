package extension_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// However harmless it reads: what a page said once does not speak to every later
// conversation unasked. Who asks finds it, and sees where it is from.
func TestUntrustedIsFoundButNotInjected(t *testing.T) {
	const said = "The ferry to Hollow Point leaves from pier nine at noon."
	const question = "When does the ferry to Hollow Point leave?"
	then := extension.Scope{User: "ada", Session: "then"}
	texts := map[string][]eventbus.Event{
		"a tool":             {eventbus.ToolResult(then, "web", said)},
		"a forwarded page":   {eventbus.UserMessage(then, said, eventbus.From(eventbus.OriginToolExternal))},
		"somebody":           {eventbus.UserMessage(then, said, eventbus.From(eventbus.OriginUnknown))},
		"an answer about it": {eventbus.ToolResult(then, "web", "a page"), eventbus.AgentResponse(then, said)},
	}
	doors := map[string]func(t *testing.T, s *extension.Session) string{
		"Memory": func(t *testing.T, s *extension.Session) string {
			loaded, err := s.Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": question})
			require.NoError(t, err)
			return loaded["history"].(string)
		},
		"WrapModel": func(t *testing.T, s *extension.Session) string {
			model := &echo{}
			_, err := llms.GenerateFromSinglePrompt(t.Context(), extension.WrapModel(model, s), question)
			require.NoError(t, err)
			return model.prompt
		},
		"Preview": func(t *testing.T, s *extension.Session) string {
			found, err := s.Preview(t.Context(), question)
			require.NoError(t, err)
			return found.Block
		},
	}
	for who, events := range texts {
		for door, ask := range doors {
			t.Run(who+" through "+door, func(t *testing.T) {
				x := open(t, fresh(t))
				require.NoError(t, x.Bus().Publish(t.Context(), events...))
				s := session(t, x, extension.Scope{User: "ada", Session: "now"})
				require.NotContains(t, ask(t, s), "pier nine")
				found, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: "search_memory", Arguments: question}})
				require.NoError(t, err)
				require.Contains(t, found.Content, "pier nine")

				open, err := extension.Open(t.Context(), fresh(t), &extension.Config{Injection: extension.InjectionConfig{Untrusted: true}, NoBackground: true})
				require.NoError(t, err)
				defer func() { require.NoError(t, open.Close(t.Context())) }()
				require.NoError(t, open.Bus().Publish(t.Context(), events...))
				require.Contains(t, ask(t, session(t, open, extension.Scope{User: "ada", Session: "now"})), "pier nine", "a host may want it so")
			})
		}
	}
	for who, event := range map[string]eventbus.Event{
		"the user": eventbus.UserMessage(then, said), "an import": eventbus.UserMessage(then, said, eventbus.From(eventbus.OriginImport)),
		"a tool of the host's": eventbus.ToolResult(then, "calendar", said, eventbus.From(eventbus.OriginToolInternal)), "an answer": eventbus.AgentResponse(then, said),
	} {
		for door, ask := range doors {
			t.Run(who+" through "+door, func(t *testing.T) {
				x := open(t, fresh(t))
				require.NoError(t, x.Bus().Publish(t.Context(), event))
				require.Contains(t, ask(t, session(t, x, extension.Scope{User: "ada", Session: "now"})), "pier nine")
			})
		}
	}
}

// An agent may look up what it has saved itself from the user's words and go on saving; after
// it has read a page, it may not.
func TestReadingOwnFactsIsNoExposure(t *testing.T) {
	x := open(t, fresh(t))
	call := func(name, tool, input string) string {
		t.Helper()
		answer, err := session(t, x, extension.Scope{User: "ada", Session: name}).CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: input}})
		require.NoError(t, err)
		return answer.Content
	}
	says := func(session, text string) {
		t.Helper()
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "ada", Session: session}, text)))
	}
	says("chat", "sleep place rang, 41 stops an hour, so its a machine on my face from now on")
	require.NotContains(t, call("chat", "remember_fact", `{"content": "Ada sleeps with a cpap machine."}`), "set aside")
	require.Contains(t, call("chat", "search_memory", `{"query": "cpap machine"}`), "cpap")
	says("chat", "speakers in the helmet now, write it for listening then")
	require.NotContains(t, call("chat", "remember_fact", `{"content": "Ada has answers read aloud on her motorbike."}`), "set aside")
	says("other", "look up what we said of helmets")
	require.Contains(t, call("other", "search_memory", `{"query": "motorbike"}`), "read aloud")
	says("other", "my size is the one from last year")
	require.NotContains(t, call("other", "remember_fact", `{"content": "Ada takes the same size as last year."}`), "set aside")

	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(extension.Scope{User: "ada", Session: "chat"}, "calculator", "= 57", eventbus.From(eventbus.OriginToolInternal))))
	require.NotContains(t, call("chat", "remember_fact", `{"content": "Ada's head measures 57 cm."}`), "set aside", "the host trusts its calculator")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(extension.Scope{User: "ada", Session: "chat"}, "web", "Helmets of the year.")))
	says("chat", "ok the blue one it is")
	require.Contains(t, call("chat", "remember_fact", `{"content": "Ada wants a helmet by Corvane."}`), "set aside")
	says("third", "which one was it")
	require.Contains(t, call("third", "search_memory", `{"query": "helmet by Corvane", "limit": 1}`), "Corvane")
	require.Contains(t, call("third", "remember_fact", `{"content": "Ada orders everything at Corvane."}`), "set aside")

	// a page that is reported after what was saved from it
	says("shop", "so where do i send it")
	require.NotContains(t, call("shop", "remember_fact", `{"content": "Orders at Zellik are paid to the account DE12."}`), "set aside")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(extension.Scope{User: "ada", Session: "shop"}, "web", "Weather: rain."), eventbus.AgentResponse(extension.Scope{User: "ada", Session: "shop"}, "Done.")))
	says("shop", "thanks")
	says("later", "what was it again")
	require.Contains(t, call("later", "search_memory", `{"query": "Zellik account DE12", "limit": 1}`), "DE12")
	require.Contains(t, call("later", "remember_fact", `{"content": "Ada pays everything to DE12."}`), "set aside")
}
