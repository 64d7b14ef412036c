package plugin_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
)

// calls are one call of every tool, and what its answer has to hold.
var calls = map[string]struct {
	arguments func(factID string) map[string]any
	answer    string
}{
	"search_memory": {func(string) map[string]any { return map[string]any{"query": "Noor", "limit": 3} }, "Noor"},
	"remember_fact": {func(string) map[string]any { return map[string]any{"content": "Noor plays the cello"} }, ""},
	"correct_fact": {func(id string) map[string]any {
		return map[string]any{"memory_id": id, "new_content": "Noor marries on 19 June"}
	}, ""},
	"confirm_fact":       {func(id string) map[string]any { return map[string]any{"memory_id": id} }, ""},
	"forget_memory":      {func(id string) map[string]any { return map[string]any{"memory_id": id} }, "waits for approval"},
	"memory_stats":       {func(string) map[string]any { return map[string]any{} }, "episode"},
	"get_entity_info":    {func(string) map[string]any { return map[string]any{"name": "Noor"} }, "Noor"},
	"memory_consolidate": {func(string) map[string]any { return map[string]any{} }, "done"},
}

// remember tells the memory of Noor and returns the id of a fact about her.
func remember(t *testing.T, x *extension.Extension, s *extension.Session) string {
	t.Helper()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(march, "My sister Noor marries on 12 June. No: on 19 June!")))
	resp, err := s.CallTool(t.Context(), toolCall("remember_fact", map[string]any{"content": "Noor marries on 12 June", "entity_names": []string{"Noor"}}))
	require.NoError(t, err)
	require.NoError(t, x.WaitIdle(t.Context()))
	answer, err := x.Recall(t.Context(), march, extension.Query{Text: "Noor marries", Kinds: []extension.Kind{extension.KindFact}})
	require.NoError(t, err)
	at := slices.IndexFunc(answer.Results, func(r extension.Result) bool { return r.Memory.Content == "Noor marries on 12 June" })
	require.GreaterOrEqual(t, at, 0, resp.Content) // beside it may be what was read from the message
	return answer.Results[at].Memory.UID
}

func toolCall(name string, arguments map[string]any) llms.ToolCall {
	encoded, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return llms.ToolCall{ID: "c1", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: string(encoded)}}
}

func TestAgentCallsEveryTool(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.run(march, func(x *extension.Extension, s *extension.Session) {
				id := remember(t, x, s)
				server := llmtest.New(t)
				server.On(llmtest.LastContains("please do it"), llmtest.ToolCall("c1", name, call.arguments(id))).Times(1)
				server.On(llmtest.Any, llmtest.Text("done"))
				m := s.Memory()
				agent := agents.NewOpenAIFunctionsAgent(server.LLM(t), s.Tools(), m.ForOpenAIFunctions())
				answer, err := chains.Run(t.Context(), agents.NewExecutor(agent, agents.WithMemory(m)), "please do it")
				require.NoError(t, err)
				require.Equal(t, "done", answer)
				requests := server.Requests()
				require.Len(t, requests, 2)
				require.Len(t, requests[0].Tools, len(calls))
				require.NotEmpty(t, requests[1].Last())
				require.Contains(t, requests[1].Last(), call.answer)
				require.NotContains(t, requests[1].Last(), "not a valid tool")
			})
		})
	}
}

func TestLLMToolsHaveParameters(t *testing.T) {
	h := newHost(t)
	h.run(march, func(x *extension.Extension, s *extension.Session) {
		id := remember(t, x, s)
		server := llmtest.New(t)
		for name, call := range calls {
			server.On(llmtest.LastContains("use "+name), llmtest.ToolCall("c1", name, call.arguments(id)))
		}
		llm := server.LLM(t)
		for name, call := range calls {
			resp, err := llm.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "use "+name)},
				llms.WithTools(s.LLMTools()))
			require.NoError(t, err)
			answer, err := s.CallTool(t.Context(), resp.Choices[0].ToolCalls[0])
			require.NoError(t, err)
			require.Equal(t, "c1", answer.ToolCallID)
			require.Contains(t, answer.Content, call.answer, name)
		}
		for _, tool := range server.Requests()[0].Tools {
			var parameters struct {
				Type       string         `json:"type"`
				Properties map[string]any `json:"properties"`
			}
			require.NoError(t, json.Unmarshal(tool.Function.Parameters, &parameters))
			require.Equal(t, "object", parameters.Type)
			for argument := range calls[tool.Function.Name].arguments(id) {
				require.Contains(t, parameters.Properties, argument, tool.Function.Name)
			}
		}
	})
}

func TestNonsenseInputIsAnswered(t *testing.T) {
	h := newHost(t)
	h.run(march, func(_ *extension.Extension, s *extension.Session) {
		for _, tool := range s.Tools() {
			for _, input := range []string{
				"", " ", "\x00\xff", "{", `{"limit": 1e9}`, `{"query": "x", "limit": -3}`, `{"query": "x", "limit": 2.5}`, `{"nonsense": true}`,
				`{"content": "x", "confidence": 7}`, `{"memory_id": "no such id", "new_content": "x"}`, `[1,2]`, `null`, `{"__arg1": {"query": "x"}}`,
				string(make([]byte, 2<<20)),
			} {
				answer, err := tool.Call(t.Context(), input)
				require.NoError(t, err, "%s(%.40q)", tool.Name(), input)
				require.NotEmpty(t, answer, "%s(%.40q)", tool.Name(), input)
			}
		}
		answer, err := s.CallTool(t.Context(), llms.ToolCall{ID: "c9", FunctionCall: &llms.FunctionCall{Name: "format_disk"}})
		require.NoError(t, err)
		require.Contains(t, answer.Content, "search_memory", "the tools there are")
	})
}
