package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	lcmemory "github.com/tmc/langchaingo/memory"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
)

// teamsHost is a host with the ThreeTier profile.
func teamsHost(t *testing.T) *host {
	h := newHost(t)
	h.cfg = *extension.ThreeTier()
	h.cfg.Night.NoSchedule = true
	return h
}

// agentTurn lets an agent answer, with the tools of its memory.
func agentTurn(t *testing.T, server *llmtest.Server, s *extension.Session, said string) {
	t.Helper()
	// langchaingo's buffer must know which of the outputs is the answer.
	m := s.Memory(extension.WithInner(lcmemory.NewConversationBuffer(lcmemory.WithInputKey("input"), lcmemory.WithOutputKey("output"))), extension.WithSpeakers("Ada", ""))
	agent := agents.NewOpenAIFunctionsAgent(server.LLM(t), s.Tools(), m.ForOpenAIFunctions())
	_, err := chains.Call(t.Context(), agents.NewExecutor(agent, agents.WithMemory(m), agents.WithReturnIntermediateSteps()), map[string]any{"input": said})
	require.NoError(t, err)
}

// Agents of two roles keep core memory by their tools, turn after turn: what one
// writes the other reads at its next, the rules when the host has approved them,
// and all of it after a restart.
func TestAgentsMaintainCoreMemory(t *testing.T) {
	server := llmtest.New(t)
	call := func(heard, tool, section string, content any) {
		key := map[string]string{"core_memory_update": "content", "core_memory_append": "item"}[tool]
		server.On(llmtest.LastContains(heard), llmtest.ToolCall("c", tool, map[string]any{"section": section, key: content})).Times(1)
	}
	call("cache review", "core_memory_append", "threads", map[string]any{"id": "84", "summary": "the cache review", "roles": []string{"ops"}})
	call("where you are", "core_memory_update", "roleState", map[string]any{"workingOn": "the cache review"})
	call("propose a rule", "core_memory_update", "rules", "Two reviewers for each cache.")
	call("ship it", "core_memory_append", "recentlyShipped", "PR 12: the cache")
	server.On(llmtest.Any, llmtest.Text("done"))

	h := teamsHost(t)
	research := extension.Scope{User: "team", Agent: "research", Session: "cycle 1"}
	ops := extension.Scope{User: "team", Agent: "ops", Session: "cycle 2"}
	turn := func(s *extension.Session, said string) (prompt string) {
		before := len(server.Requests())
		agentTurn(t, server, s, said)
		return server.Requests()[before].Prompt()
	}
	h.run(research, func(x *extension.Extension, s *extension.Session) {
		require.NotContains(t, turn(s, "Start the cache review."), `{"core":`, "nothing is written yet")
		require.Contains(t, turn(s, "Say where you are."), `"summary":"the cache review"`)
		require.Contains(t, turn(s, "Please propose a rule."), `"workingOn":"the cache review"`)
		waiting, err := x.Proposals(t.Context(), research)
		require.NoError(t, err)
		require.Len(t, waiting, 1, "only the rule waits: the agent told its steps, and used no tool but its memory's")
		require.NotContains(t, turn(s, "And now?"), "Two reviewers")
		require.NoError(t, x.Approve(t.Context(), research, waiting[0].ID))
	})
	h.run(ops, func(x *extension.Extension, s *extension.Session) {
		prompt := turn(s, "So ship it.")
		require.Contains(t, prompt, `{"core":"rules","approved_by":"host"`)
		require.Contains(t, prompt, "Two reviewers for each cache.")
		require.Contains(t, prompt, `"summary":"the cache review"`)
		require.NotContains(t, prompt, "workingOn", "the state of another role")
		require.Contains(t, turn(s, "Thanks!"), `"recentlyShipped":["PR 12: the cache"]`)
	})
}
