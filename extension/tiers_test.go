package extension_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// team is a memory with the fixture's stream in it, and what calls its tools.
func team(t *testing.T, nights ...extension.Stage) (*extension.Extension, func(tool, arguments string) string) {
	t.Helper()
	cfg := &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: true, Tools: extension.ToolsConfig{Names: tools.Names()}}
	if len(nights) > 0 {
		cfg.Night.Stages = func([]extension.Stage) []extension.Stage { return nights }
	}
	x, err := extension.Open(t.Context(), fresh(t), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	stream, err := os.Open("../cmd/ebb/testdata/threetier/stream.jsonl")
	require.NoError(t, err)
	defer stream.Close()
	_, err = importStream(t.Context(), x, extension.Scope{User: "team"}, stream)
	require.NoError(t, err)
	s := session(t, x, extension.Scope{User: "team", Agent: "qa"})
	return x, func(tool, arguments string) string {
		t.Helper()
		answer, err := s.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: tool, Arguments: arguments}})
		require.NoError(t, err)
		return answer.Content
	}
}

// recordsIn are the records that an answer shows.
func recordsIn(t *testing.T, answer string) (all []llmtest.Record) {
	t.Helper()
	fences, _, err := llmtest.Fences(answer)
	require.NoError(t, err)
	for _, f := range fences {
		all = append(all, f.Records...)
	}
	return all
}

var cycleOf = regexp.MustCompile(`\(cycle (\d+), `)

func TestTierToolsFilter(t *testing.T) {
	_, call := team(t)
	records := func(answer string) []llmtest.Record {
		t.Helper()
		require.Contains(t, answer, "<memory nonce=")
		return recordsIn(t, answer)
	}
	require.Len(t, records(call("recall_search", `{"query": "flaky test"}`)), 5, "the default limit")
	for _, r := range records(call("recall_search", `{"query": "flaky test", "role": "qa", "limit": 50}`)) {
		require.Equal(t, "qa", r.Who)
		require.NotEmpty(t, r.Mark("cycle"))
	}
	require.NotEmpty(t, records(call("recall_search", `{"query": "which store did we choose", "issue": "4"}`)))
	for _, r := range records(call("recall_search", `{"query": "release", "cycleRange": [100, 120], "minImportance": 7, "limit": 50}`)) {
		require.Regexp(t, `^1[012]\d$`, r.Mark("cycle"))
	}
	listed := records(call("recall_by_cycle", `{"startCycle": 3, "endCycle": 4}`))
	require.Equal(t, "3", listed[0].Mark("cycle"))
	require.Contains(t, listed[0].Marks, "decision")
	require.Contains(t, listed[0].Text, "Choose PostgreSQL")
	all := call("recall_by_cycle", `{"startCycle": 1, "endCycle": 192}`)
	require.Contains(t, all, "There are more than these last 50")
	require.Len(t, cycleOf.FindAllString(all, -1), 50)

	for _, r := range records(call("archival_search", "flaky test")) {
		require.Contains(t, r.Marks, "reflection", "all that is in the archive yet")
	}
	require.Contains(t, call("archival_insert", `{"content": "A flaky test waits for a clock: inject one.", "type": "lesson", "roles": ["qa"], "issues": [57], "importance": 9}`), "Archived as ")
	found := records(call("archival_search", `{"query": "flaky test waits for a clock", "type": "lesson", "issue": 57}`))
	require.Len(t, found, 1)
	require.Contains(t, found[0].Marks, "lesson")
	require.Contains(t, found[0].Marks, "importance 9")
	require.Contains(t, found[0].Marks, "issues 57")
	call("memory_log", `{"action": "Oiled the hinge", "importance": 6, "type": "action", "tags": ["hinge", "oil"], "content": "The squeaking hinge is oiled.", "issueRefs": [57, 58]}`)
	oiled := records(call("recall_search", `{"query": "squeaking hinge oiled", "limit": 1}`))[0]
	require.Subset(t, oiled.Marks, []string{"importance 6", "tags hinge oil"})
	require.Contains(t, call("archival_search", `{"query": "flaky test", "type": "spec"}`), "Try again without type")
	require.Contains(t, call("archival_search", `{"query": "flaky test", "dateRange": ["2024-01-01", "2024-02-01"]}`), "Nothing was found")
	require.NotEmpty(t, records(call("archival_search", `{"query": "flaky test", "dateRange": ["", "2030-02-01"]}`)), "until")
	require.NotEmpty(t, records(call("archival_search", `{"query": "flaky test", "dateRange": ["2024-01-01", ""]}`)), "since")
	require.Contains(t, call("archival_search", `{"query": "flaky test", "dateRange": ["", "2024-02-01"]}`), "Nothing was found")
	for _, r := range records(call("recall_search", `{"query": "flaky test waits for a clock", "limit": 50}`)) {
		require.NotContains(t, r.Marks, "lesson", "it is of the other tier")
	}
	for _, wrong := range []struct{ tool, arguments, field string }{
		{"recall_search", `{"query": "x", "cycleRange": [5, 4]}`, "cycleRange must be the first and the last cycle"}, {"recall_search", `{"query": "x", "minImportance": 0}`, "minImportance must be"},
		{"recall_search", `{"query": "x", "issue": 0.5}`, "issue must be"}, {"recall_search", `{"query": "x", "limit": 51}`, "limit must be"}, {"recall_search", `{"query": "x", "user": "y"}`, `unknown field "user"`},
		{"recall_search", `{"query": "x", "cycleRange": {"first": 1}}`, "cycleRange must be a list of whole numbers"}, {"recall_search", `{"query": "x", "cycleRange": [1, null]}`, "cycleRange must be a list of whole numbers"},
		{"recall_search", `{"query": "x", "cycleRange": -5}`, "cycleRange must be a list of whole numbers"}, {"recall_search", `{"query": "x", "minImportance": 11}`, "minImportance must be"}, {"recall_search", `{"query": "x", "limit": -1}`, "limit must be"},
		{"recall_by_cycle", `{"startCycle": 5, "endCycle": 4}`, "endCycle (4) is before startCycle (5)"}, {"recall_by_cycle", `{"startCycle": 5}`, "endCycle is missing"},
		{"archival_search", `{"query": "x", "type": "y"}`, "type"}, {"archival_search", `{"query": "x", "dateRange": ["2026-02-01", "2026-01-01"]}`, "dateRange ends"},
		{"archival_search", `{"query": "x", "dateRange": ["soonish"]}`, "dateRange is not one time"}, {"archival_insert", `{"content": "x", "type": "cycle"}`, "type"},
		{"archival_insert", `{"content": "x", "type": "spec", "importance": 11}`, "importance must be"}, {"archival_insert", `{"content": "x", "type": "spec", "issues": ["y"]}`, "issues must be"},
	} {
		require.Contains(t, call(wrong.tool, wrong.arguments), wrong.field, wrong.arguments)
	}
}

// insightful is a night that draws one insight from two memories.
type insightful struct{ text string }

func (insightful) Name() string { return "insightful" }

func (n insightful) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	var sources []string
	err := in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		memories, err := s.ActiveMeeting(ctx, in.UserID, &schema.Conditions{Is: map[string]string{schema.AttrType: "action"}}, 2)
		for _, m := range memories {
			sources = append(sources, m.UID)
		}
		return err
	})
	if err == nil {
		_, err = apply(ctx, consolidate.AddReflection{Content: n.text, Sources: sources, Importance: .9, Trust: schema.MaxTrust})
	}
	return err
}

// What is learnt is a lesson of the archive at once, and stands in the stream for
// as long as its cycle does (ada-three-tier.md §5.2). What somebody put into the
// archive, and documents, did not happen in a cycle, and are found for the roles
// that they are for.
func TestTierContents(t *testing.T) {
	x, call := team(t, insightful{"Tablets that sleep lose what they were about to send."})
	scope := extension.Scope{User: "team"}
	_, err := x.Consolidate(t.Context(), scope)
	require.NoError(t, err)
	docs, err := x.ImportArchive(t.Context(), scope, "../cmd/ebb/testdata/threetier/docs", transfer.ArchiveOptions{})
	require.NoError(t, err)
	require.Positive(t, docs.Stored)
	require.Contains(t, call("archival_insert", `{"content": "A walrus guards the pantry door.", "type": "spec", "roles": ["ops", "growth"]}`), "Archived as ")
	shows := func(tool, arguments, said string) bool {
		t.Helper()
		return slices.ContainsFunc(recordsIn(t, call(tool, arguments)), func(r llmtest.Record) bool { return strings.Contains(r.Text, said) })
	}
	for _, learnt := range []string{"Tablets that sleep lose", "Reflection: cycles 181-190"} {
		query := text.JSON(map[string]any{"query": learnt, "limit": 50})
		lessons := text.JSON(map[string]any{"query": learnt, "type": "lesson", "limit": 50})
		require.True(t, shows("archival_search", lessons, learnt), learnt)
		require.True(t, shows("archival_search", query, learnt), learnt)
		require.True(t, shows("recall_search", query, learnt), learnt)
		require.False(t, shows("archival_search", text.JSON(map[string]any{"query": learnt, "type": "cycle", "limit": 50}), learnt), learnt)
	}
	require.True(t, shows("recall_by_cycle", `{"startCycle": 192, "endCycle": 192}`, "Tablets that sleep lose"))
	for _, r := range recordsIn(t, call("recall_by_cycle", `{"startCycle": 190, "endCycle": 192}`)) {
		require.Empty(t, r.Mark("from"), "a document: %s", r.Text)
		require.NotContains(t, r.Text, "walrus")
	}
	require.False(t, shows("recall_search", `{"query": "walrus pantry", "cycleRange": [190, 192], "limit": 50}`, "walrus"))
	for role, found := range map[string]bool{"ops": true, "growth": true, "qa": true, "op": false, "design": false} { // qa put it there
		require.Equal(t, found, shows("archival_search", text.JSON(map[string]any{"query": "walrus pantry", "role": role}), "walrus"), role)
	}
}

// Tags are words to find an entry by, and stand in no text but the index's.
func TestEntryIsFoundByTags(t *testing.T) {
	path := fresh(t)
	open := func() (*extension.Extension, func(tool, arguments string) string) {
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: true, Tools: extension.ToolsConfig{Names: tools.Names()}})
		require.NoError(t, err)
		s := session(t, x, extension.Scope{User: "team", Agent: "qa"})
		return x, func(tool, arguments string) string {
			answer, err := s.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: tool, Arguments: arguments}})
			require.NoError(t, err)
			return answer.Content
		}
	}
	x, call := open()
	require.Contains(t, call("memory_log", `{"action": "Raised the contrast", "importance": 5, "type": "action", "tags": ["accessibility", "low-vision"], "content": "All text reaches 7 to 1."}`), "Logged as ")
	found := call("recall_search", `{"query": "what was done for low vision?"}`)
	require.Contains(t, found, "All text reaches 7 to 1.")
	require.Contains(t, found, ": Raised the contrast / All text reaches 7 to 1.", "the text is as it was written, on one line")
	require.NoError(t, x.Close(context.Background()))

	pgtest.FileOnly(t, "the rest, repair")
	memtest.Spoil(t, path, "DELETE FROM chunks; INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')")
	_, err := doctor.Repair(t.Context(), path, extension.Key{})
	require.NoError(t, err)
	x, call = open()
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.Contains(t, call("recall_search", `{"query": "accessibility"}`), "All text reaches 7 to 1.", "made anew with them")
}
