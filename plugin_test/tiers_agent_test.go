package plugin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
)

// Agents of two roles page their memory: what one logs in its cycle the other
// finds in the next, by words, by number and in the archive, after a restart too.
func TestAgentsUseTierTools(t *testing.T) {
	server := llmtest.New(t)
	call := func(heard, tool string, arguments map[string]any) {
		server.On(llmtest.LastContains(heard), llmtest.ToolCall("c", tool, arguments)).Times(1)
	}
	call("finish the review", "memory_log", map[string]any{
		"action": "Reviewed the sync queue", "importance": 8, "type": "decision", "tags": []string{"sync"}, "content": "The queue keeps its order by a counter, since clocks differ.", "issueRefs": []int{84},
	})
	call("keep the lesson", "archival_insert", map[string]any{"content": "Never order by the clock of a tablet.", "type": "lesson", "importance": 9})
	call("was reviewed", "recall_search", map[string]any{"query": "how does the queue keep its order", "role": "research", "issue": 84})
	call("first cycle", "recall_by_cycle", map[string]any{"startCycle": 1, "endCycle": 1})
	call("the archive", "archival_search", map[string]any{"query": "clock of a tablet", "type": "lesson"})
	call("wrong", "recall_search", map[string]any{"query": "queue", "cycleRange": []int{2, 1}})
	server.On(llmtest.Any, llmtest.Text("done"))

	h := teamsHost(t)
	turn := func(s *extension.Session, said string) (answered string) {
		agentTurn(t, server, s, said)
		all := server.Requests()
		prompt := all[len(all)-1].Prompt()
		return prompt[strings.LastIndex(prompt, said)+len(said):]
	}
	h.run(extension.Scope{User: "team", Agent: "research", Session: "cycle 1"}, func(x *extension.Extension, s *extension.Session) {
		require.NoError(t, x.SetCycle(t.Context(), s.Scope(), 1))
		require.Contains(t, turn(s, "Please finish the review."), "Logged as ")
		require.Contains(t, turn(s, "And keep the lesson."), "Archived as ")
	})
	h.run(extension.Scope{User: "team", Agent: "ops", Session: "cycle 2"}, func(x *extension.Extension, s *extension.Session) {
		require.EqualValues(t, 1, x.Cycle(s.Scope()))
		require.NoError(t, x.SetCycle(t.Context(), s.Scope(), 2))
		for _, said := range []string{"Look up what was reviewed.", "List the first cycle."} {
			answer := turn(s, said)
			require.Contains(t, answer, "since clocks differ", said)
			require.Contains(t, answer, "research", said)
			require.Contains(t, answer, "decision", said)
		}
		require.Contains(t, turn(s, "Ask the archive."), "Never order by the clock of a tablet.")
		require.Contains(t, turn(s, "Do it wrong."), "must be the first and the last cycle")
	})
}
