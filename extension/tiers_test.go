package extension_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/tools"
)

// team is a memory with the fixture's stream in it, and what calls its tools.
func team(t *testing.T) (*extension.Extension, func(tool, arguments string) string) {
	t.Helper()
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{NoSchedule: true, NoBackground: true, Tools: tools.Names()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	stream, err := os.Open("../cmd/ebb/testdata/threetier/stream.jsonl")
	require.NoError(t, err)
	defer stream.Close()
	_, err = x.ImportStream(t.Context(), extension.Scope{User: "team"}, stream)
	require.NoError(t, err)
	s := session(t, x, extension.Scope{User: "team", Agent: "qa"})
	return x, func(tool, arguments string) string {
		t.Helper()
		answer, err := s.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: tool, Arguments: arguments}})
		require.NoError(t, err)
		return answer.Content
	}
}

var cycleOf = regexp.MustCompile(`"cycle":"(\d+)"`)

func TestTheToolsOfTiersFilterExactly(t *testing.T) {
	_, call := team(t)
	records := func(answer string) (all []map[string]string) {
		require.Contains(t, answer, "<memory nonce=")
		for line := range strings.Lines(answer) {
			var r map[string]string
			if json.Unmarshal([]byte(line), &r) == nil && r["id"] != "" {
				all = append(all, r)
			}
		}
		return all
	}
	require.Len(t, records(call("recall_search", `{"query": "flaky test"}`)), 5, "the default limit")
	for _, r := range records(call("recall_search", `{"query": "flaky test", "role": "qa", "limit": 50}`)) {
		require.Equal(t, "qa", r["speaker"])
		require.NotEmpty(t, r["cycle"])
	}
	require.NotEmpty(t, records(call("recall_search", `{"query": "which store did we choose", "issue": "4"}`)))
	for _, r := range records(call("recall_search", `{"query": "release", "cycleRange": [100, 120], "minImportance": 7, "limit": 50}`)) {
		require.Regexp(t, `^1[012]\d$`, r["cycle"])
	}
	listed := records(call("recall_by_cycle", `{"startCycle": 3, "endCycle": 4}`))
	require.Equal(t, "3", listed[0]["cycle"])
	require.Equal(t, "decision", listed[0]["type"])
	require.Contains(t, listed[0]["text"], "Choose PostgreSQL")
	all := call("recall_by_cycle", `{"startCycle": 1, "endCycle": 192}`)
	require.Contains(t, all, "There are more than these last 50")
	require.Len(t, cycleOf.FindAllString(all, -1), 50)

	require.Contains(t, call("archival_search", "flaky test"), "Nothing was found")
	require.Contains(t, call("archival_insert", `{"content": "A flaky test waits for a clock: inject one.", "type": "lesson", "roles": ["qa"], "issues": [57], "importance": 9}`), "Archived as ")
	found := records(call("archival_search", `{"query": "flaky test", "type": "lesson"}`))
	require.Len(t, found, 1)
	require.Equal(t, "lesson", found[0]["type"])
	require.Contains(t, call("archival_search", `{"query": "flaky test", "type": "spec"}`), "Try again without type")
	require.Contains(t, call("archival_search", `{"query": "flaky test", "dateRange": ["2024-01-01", "2024-02-01"]}`), "Nothing was found")
	for _, r := range records(call("recall_search", `{"query": "flaky test waits for a clock", "limit": 50}`)) {
		require.NotEqual(t, "lesson", r["type"], "it is of the other tier")
	}
	for _, wrong := range []struct{ tool, arguments, field string }{
		{"recall_search", `{"query": "x", "cycleRange": [5, 4]}`, "cycleRange must be the first and the last cycle"}, {"recall_search", `{"query": "x", "minImportance": 0}`, "minImportance must be"},
		{"recall_search", `{"query": "x", "issue": 0.5}`, "issue must be"}, {"recall_search", `{"query": "x", "limit": 51}`, "limit must be"}, {"recall_search", `{"query": "x", "user": "y"}`, `unknown field "user"`},
		{"recall_by_cycle", `{"startCycle": 5, "endCycle": 4}`, "endCycle (4) is before startCycle (5)"}, {"recall_by_cycle", `{"startCycle": 5}`, "endCycle is missing"},
		{"archival_search", `{"query": "x", "type": "y"}`, "type"}, {"archival_search", `{"query": "x", "dateRange": ["2026-02-01", "2026-01-01"]}`, "dateRange ends"},
		{"archival_search", `{"query": "x", "dateRange": ["soonish"]}`, "dateRange is not one time"}, {"archival_insert", `{"content": "x", "type": "cycle"}`, "type"},
		{"archival_insert", `{"content": "x", "type": "spec", "importance": 11}`, "importance must be"}, {"archival_insert", `{"content": "x", "type": "spec", "issues": ["y"]}`, "issues must be"},
	} {
		require.Contains(t, call(wrong.tool, wrong.arguments), wrong.field, wrong.arguments)
	}
}
