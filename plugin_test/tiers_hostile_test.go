package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/racing"
)

// pagingCalls are what a model can write to the tools of tiers, by tool: wrong
// types, numbers beyond all bounds, texts that are no queries, ids and names of
// others, and arguments that a host stamps.
func pagingCalls(foreign string) map[string][]string {
	type object = map[string]any
	numbers := []any{-1, 0, 0.5, 11, 51, 1e300, -1e300, "NaN", "Inf", "-0", "0x10", "9223372036854775808", true, []any{}, []any{1}, object{}, "", " ", "ten"}
	lists := []any{[]any{5, 4}, []any{1, 2, 3}, []any{-5, 5}, []any{0, 0}, []any{1.5, 2}, []any{1e300, 2e300}, []any{nil}, []any{[]any{1}}, []any{object{}}, []any{true}, "5-4", "4,5,6", object{"first": 1}, 7,
		"[", []any{"9223372036854775807", "9223372036854775808"}, strings.Repeat("1,", 5000)}
	texts := []any{"", " ", "\u0000", "\ufffd", "\u200b\u202e", "'; DROP TABLE memories; --", `" OR 1=1 --`, "tenant:rival user:rival", "content MATCH 'x' NEAR(", "*", "%", "(((((", foreign,
		strings.Repeat("a ", 20_000), strings.Repeat("🧠", 4000), "#9999999999999999999", "cycle 999999999 to 1", "since cycle 0", "PR #0", "cycles 5 to 4", []any{"x"}, object{"query": "x"}, true, nil, 7}
	all := make(map[string][]string)
	for tool, valid := range map[string]object{
		"recall_search":   {"query": "the walrus"},
		"recall_by_cycle": {"startCycle": 1, "endCycle": 2},
		"archival_search": {"query": "the walrus"},
		"archival_insert": {"content": "The shelf was dusty.", "type": "lesson"},
		"memory_log":      {"action": "Dusted", "importance": 5, "type": "action", "content": "The shelf was dusty."},
	} {
		with := func(name string, value any) {
			args := object{}
			for k, v := range valid {
				args[k] = v
			}
			args[name] = value
			encoded, err := json.Marshal(args)
			if err != nil {
				panic(err)
			}
			all[tool] = append(all[tool], string(encoded))
		}
		for _, name := range []string{"issue", "minImportance", "limit", "startCycle", "endCycle", "importance"} {
			for _, n := range numbers {
				with(name, n)
			}
		}
		for _, name := range []string{"cycleRange", "dateRange", "issues", "issueRefs", "prRefs", "roles", "tags"} {
			for _, l := range lists {
				with(name, l)
			}
			for _, s := range texts {
				with(name, []any{s})
				with(name, []any{s, s, "2026-02-01"})
			}
		}
		for _, name := range []string{"query", "role", "type", "content", "action"} {
			for _, s := range texts {
				with(name, s)
			}
		}
		stamps := object{"user": "rival", "tenant": "rival", "scope": object{"User": "rival"}, "agent": "ops", "trust": 4, "origin": "user_direct", "cycle": 9, "id": foreign, "archive": "spec", "protected": true}
		for name, value := range stamps {
			with(name, value)
		}
		with("type", "reflection")
		with("type", "cycle")
		all[tool] = append(all[tool], "", "null", "[]", "{", "{}", `{"query":`, `"`, "\xff\xfe", "x\x00", strings.Repeat("[", 20_000), strings.Repeat(`{"query":`, 5000), strings.Repeat("x", 70_000),
			`{"__arg1":{"__arg1":{"__arg1":{"__arg1":{"__arg1":"x"}}}}}`, `{"query":"a","query":"b"}`, foreign)
	}
	return all
}

// Whatever a model writes to the tools of tiers comes back as a sentence, shows
// nothing of another user, and is stored, if at all, as its own agent's, in the
// cycle that the host counts, with a type that a model may give.
func TestHostileModelSeesOwnUserOnly(t *testing.T) {
	racing.Alone(t)
	cfg := extension.ThreeTier()
	cfg.Night.NoSchedule = true
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	rival, research := extension.Scope{User: "rival", Agent: "ops"}, extension.Scope{User: "team", Agent: "research", Session: "s"}
	require.NoError(t, x.SetCycle(t.Context(), research, 7))
	require.NoError(t, x.Bus().Publish(t.Context(),
		eventbus.UserMessage(rival, "The walrus hides zanzibarium.", eventbus.Attribute("cycle", "1"), eventbus.Attribute("archive", "lesson")),
		eventbus.UserMessage(research, "The walrus sleeps.", eventbus.Attribute("cycle", "1"))))
	require.NoError(t, x.WaitIdle(t.Context()))
	answer, err := x.Recall(t.Context(), rival, extension.Query{Text: "walrus"})
	require.NoError(t, err)
	foreign := answer.Results[0].Memory.UID
	exported := func(scope extension.Scope) string {
		var b bytes.Buffer
		_, err := x.Export(t.Context(), &b, scope)
		require.NoError(t, err)
		return memtest.Undated(b.String())
	}
	before := exported(rival)
	s, err := x.Session(research)
	require.NoError(t, err)
	for tool, calls := range pagingCalls(foreign) {
		stored := 0
		for _, input := range calls {
			response, err := s.CallTool(t.Context(), llms.ToolCall{ID: "1", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: input}})
			require.NoError(t, err)
			short := input[:min(len(input), 200)]
			require.NotEmpty(t, response.Content, "%s %s", tool, short)
			require.NotContains(t, response.Content, "failed inside the memory", "%s %s", tool, short)
			require.NotContains(t, response.Content, "zanzibarium", "%s %s", tool, short)
			require.Less(t, len(response.Content), 200_000, "%s %s", tool, short)
			if strings.Contains(response.Content, "ed as ") {
				stored++
			}
		}
		require.Less(t, stored, len(calls)/2, "%s: most of it is refused", tool)
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	require.Equal(t, before, exported(rival))
	require.EqualValues(t, 7, x.Cycle(research))
	records, err := x.Timeline(t.Context(), research, extension.TimelineQuery{Limit: 1000})
	require.NoError(t, err)
	written := 0
	for _, m := range records {
		if m.Content == "The walrus sleeps." {
			continue
		}
		written++
		require.Equal(t, "research", m.Agent, m.Content)
		require.Equal(t, "7", m.Attributes["cycle"], m.Content)
		require.Contains(t, []string{"", "action", "observation", "decision"}, m.Attributes["type"])
		require.Contains(t, []string{"", "decision", "research", "spec", "lesson"}, m.Attributes["archive"])
		if m.State == "active" { // what is set aside weighs nothing
			require.GreaterOrEqual(t, m.Importance, 0.1, m.Content)
		}
	}
	require.Positive(t, written)
}
