package plugin_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/llmtest"
)

// An agent lives with the Dual profile: what it hears is stamped with the place
// and rated, a night reflects on it, and after a restart its tool finds the
// insight, scored as the design says.
func TestAgentWithDualProfile(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.Contains("Rate the importance"), llmtest.Answer(func(r llmtest.Request) llmtest.Reply {
		ratings := ""
		for range recordLine.FindAllString(r.Prompt(), -1) {
			ratings += "9\n"
		}
		return llmtest.Text(ratings)
	}))
	server.On(llmtest.Contains("high-level questions"), llmtest.JSON(map[string]any{"questions": []string{"Why does Ada keep bees?"}}))
	server.On(llmtest.Contains("draw insights"), llmtest.JSON(map[string]any{"insights": []any{
		map[string]any{"question": 1, "text": "Ada keeps bees to be outside.", "importance": 9, "sources": []string{"r1", "r2"}},
	}}))
	server.On(llmtest.LastContains("Why do I keep bees"), llmtest.ToolCall("c1", "search_memory", map[string]any{"query": "Why does Ada keep bees?", "kind": "reflection"})).Times(1)
	server.On(llmtest.Any, llmtest.Text("noted"))

	now, place := clock.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), "the garden"
	h := newHost(t)
	h.cfg = *extension.DualOptions{Tau: 200 * time.Hour}.Config()
	h.cfg.Model, h.cfg.Night.NoSchedule, h.cfg.Location = server.LLM(t), true, time.UTC
	h.cfg.Now = now.Now
	h.cfg.Attributes = func(extension.Scope) map[string]string { return map[string]string{"location": place} }
	h.run(march, func(x *extension.Extension, s *extension.Session) {
		agentTurn(t, server, s, "I sat with the bees again, it is so quiet outside.")
		for i := range 12 {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(march, fmt.Sprintf("Day %d with the bees, outside.", i), eventbus.Speaker("Ada"))))
		}
		require.NoError(t, x.WaitIdle(t.Context()))
		report, err := x.Consolidate(t.Context(), march)
		require.NoError(t, err)
		require.Equal(t, 3, report.Usage.Calls, "14 messages rated in one call, and a reflection: %s", report.Summary())
	})
	now.Add(200 * time.Hour)
	h.run(april, func(x *extension.Extension, s *extension.Session) {
		agentTurn(t, server, s, "Why do I keep bees, you think?")
		shown := server.Requests()[len(server.Requests())-1].Last()
		require.Contains(t, shown, "Ada keeps bees to be outside.")

		answer, err := x.Recall(t.Context(), april, extension.Query{Text: "Day 3 with the bees"})
		require.NoError(t, err)
		best := answer.Results[0]
		require.Equal(t, "Day 3 with the bees, outside.", best.Memory.Content)
		require.Equal(t, "the garden", best.Memory.Attributes["location"])
		require.InDelta(t, 0.5*1+0.3*0.36787944+0.2*0.9, best.Score, 1e-6, "½ relevance + .3·e⁻¹ + .2 importance")
	})
}

// recordLine is a line of data in a prompt.
var recordLine = regexp.MustCompile(`(?m)^\{"r":`)
