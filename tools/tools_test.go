package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

var order = []string{
	"search_memory", "remember_fact", "correct_fact", "confirm_fact", "forget_memory", "memory_stats", "get_entity_info", "memory_consolidate",
}

func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := schema.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()

	scope := schema.Scope{User: "ada", Session: "monday"}
	searcher := recall.New(db, recall.Options{})
	all := tools.New(tools.Deps{
		DB: db, Scope: scope,
		Search: func(ctx context.Context, q recall.Query) (*recall.Answer, error) {
			return searcher.Search(ctx, scope, q)
		},
	})
	search, remember := all[0], all[1]

	for _, step := range []struct {
		tool  *tools.Tool
		input string
	}{
		{search, "dog"},
		{remember, `{"content": "Ada's dog is called Biscuit.", "entity_names": ["Biscuit"]}`},
		{search, `{"query": "dog", "limit": -1}`},
		{search, "dog"},
	} {
		answer, err := step.tool.Call(ctx, step.input)
		first, _, _ := strings.Cut(answer, "\n")
		first = regexp.MustCompile(`[0-9a-f-]{36}`).ReplaceAllString(first, "<id>")
		fmt.Println(first, err)
	}
	// Output:
	// Nothing was found in memory for "dog". Try fewer or other words, a name, or a synonym; if that finds nothing either, say that you do not remember rather than guess. <nil>
	// Saved fact <id> as your own statement: no message of the user's in this session holds it, so it counts less than what the user says. <nil>
	// search_memory: limit must be a whole number from 1 to 50. <nil>
	// 1 memory, best first: <nil>
}

func ExampleTool_Definition() {
	confirm := tools.New(tools.Deps{})[3].Definition()
	parameters, err := json.Marshal(confirm.Function.Parameters)
	fmt.Println(confirm.Type, confirm.Function.Name, err)
	fmt.Println(string(parameters))
	// Output:
	// function confirm_fact <nil>
	// {"additionalProperties":false,"properties":{"memory_id":{"type":"string"}},"required":["memory_id"],"type":"object"}
}

func TestNewOrder(t *testing.T) {
	var names []string
	for _, tool := range tools.New(tools.Deps{}) {
		names = append(names, tool.Name())
	}
	require.Equal(t, order, names)
	for _, tool := range tools.New(tools.Deps{}, tools.Names()...) {
		require.Contains(t, tool.Description(), "Use it ", tool.Name())
		require.Regexp(t, `Do not use it|Never use it|do not tell`, tool.Description(), tool.Name())
		require.Contains(t, tool.Description(), "Input: ", tool.Name())
		require.Less(t, len(tool.Description()), 2000, tool.Name())
	}
	require.Equal(t, order, tools.Names()[:len(order)])
	chosen := tools.New(tools.Deps{}, "memory_log", "nothing", "search_memory", "memory_log")
	require.Len(t, chosen, 2)
	require.Equal(t, "memory_log", chosen[0].Name())
}

func TestParameterExamplesFitSchema(t *testing.T) {
	good := map[string]string{
		"search_memory":      `{"query": "a", "kind": "fact", "tag": "t", "limit": 3, "since": "last week", "until": "2026-01-01"}`,
		"remember_fact":      `{"content": "a", "confidence": 0.5, "entity_names": ["Rosa"], "tags": ["t"]}`,
		"correct_fact":       `{"memory_id": "a", "new_content": "b"}`,
		"confirm_fact":       `{"memory_id": "a"}`,
		"forget_memory":      `{"query": "a", "memory_id": "b"}`,
		"memory_stats":       `{}`,
		"get_entity_info":    `{"name": "Rosa"}`,
		"memory_consolidate": `{}`,
		"get_memory":         `{"memory_id": "a"}`,
		"recent_context":     `{"days": 3, "session": "a", "day": "yesterday"}`,
		"memory_log":         `{"action": "a", "importance": 5, "type": "decision", "tags": ["t"], "content": "b", "issueRefs": [95], "prRefs": []}`,
		"recall_search":      `{"query": "a", "role": "qa", "issue": 95, "minImportance": 5, "limit": 3, "cycleRange": [180, 185]}`,
		"recall_by_cycle":    `{"startCycle": 180, "endCycle": 185, "role": "qa", "minImportance": 5}`,
		"archival_search":    `{"query": "a", "type": "lesson", "dateRange": ["2026-01-01", "2026-02-01"], "limit": 3}`,
		"archival_insert":    `{"content": "a", "type": "lesson", "roles": ["qa"], "issues": [95], "importance": 9}`,
		"find_procedure":     `{"task": "a"}`,
		"report_outcome":     `{"memory_id": "a", "helped": true}`,
		"request_reflection": `{"extra": 2000, "extra_reason": "a", "penalty": 500, "penalty_reason": "b"}`,
		"review_proposals":   `{"proposal_id": "a", "accept": false}`,
	}
	bad := map[string][]string{
		"search_memory": {`{}`, `{"query": "a", "user": "bob"}`, `{"query": "a", "kind": "x"}`, `{"query": "a", "limit": 51}`, `{"query": "a", "limit": 1.5}`},
		"remember_fact": {`{}`, `{"content": "a", "confidence": 2}`, `{"content": "a", "tags": "t"}`},
		"recall_search": {`{}`, `{"query": "a", "agent": "qa"}`, `{"query": "a", "minImportance": 11}`}, "recall_by_cycle": {`{"startCycle": 1}`},
		"archival_search": {`{"query": "a", "type": "x"}`}, "archival_insert": {`{"content": "a"}`, `{"content": "a", "type": "cycle"}`},
		"memory_log":   {`{"action": "a", "type": "action", "content": "b"}`, `{"action": "a", "importance": 11, "type": "action", "content": "b"}`, `{"action": "a", "importance": 5, "type": "reflection", "content": "b"}`},
		"correct_fact": {`{"memory_id": "a"}`}, "memory_stats": {`{"user": "bob"}`}, "get_memory": {`{}`}, "recent_context": {`{"days": 0}`, `{"user": "bob"}`}, "find_procedure": {`{}`}, "report_outcome": {`{"memory_id": "a"}`}, "request_reflection": {`{"extra": -1}`, `{"penalty": 7001}`}, "forget_memory": {`{"query": "a", "user": "bob"}`},
	}
	check := func(s *jsonschema.Resolved, doc string) error {
		var v any
		require.NoError(t, json.Unmarshal([]byte(doc), &v))
		return s.Validate(v)
	}
	good["search_memory"] = strings.TrimSuffix(good["search_memory"], "}") + `, "as_of": "2026-03-01", "why": true}`
	for _, tool := range tools.New(tools.Deps{Extended: true, MainAgent: "main", Scope: schema.Scope{Agent: "main"}}, tools.Names()...) {
		raw, err := json.Marshal(tool.Parameters())
		require.NoError(t, err)
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(raw, &s))
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		require.NoError(t, check(resolved, good[tool.Name()]), tool.Name())
		for _, doc := range bad[tool.Name()] {
			require.Error(t, check(resolved, doc), "%s %s", tool.Name(), doc)
		}
	}
}

// TestNoInputIsAGoError sends every tool what models send at their worst.
func TestNoInputIsAGoError(t *testing.T) {
	h := ada(t)
	h.says("I live in Porto.", time.Hour)
	fact := h.fact("The user lives in Porto.", schema.OriginUser)
	before := h.rows("memories")
	for _, name := range order {
		for _, input := range []string{
			"", " ", "{", "}", "{}", "[]", "[1,2]", "null", `""`, `{"__arg1": {}}`, `{"__arg1": 7}`, "\xff\xfe", "a\x00b", "\u202e\u0000",
			strings.Repeat("x", 70_000), strings.Repeat("{", 60_000), strings.Repeat(`{"a":`, 12_000),
			`{"query": {}}`, `{"content": 1e9}`, `{"memory_id": -1}`, `{"memory_id": "` + unknownID + `"}`, `{"name": "` + strings.Repeat("n", 3000) + `"}`,
			`{"memory_id": "'; DROP TABLE memories; --", "new_content": "x"}`,
			`{"content": "a", "confidence": 1e9}`, `{"content": "a", "confidence": "NaN"}`, `{"content": "a", "confidence": -0.1}`,
			`{"content": "a", "tags": [["x"]]}`, `{"content": "a", "entity_names": {"x": 1}}`, `{"content": "` + strings.Repeat("ü", 2001) + `"}`,
			`{"content": "a", "tags": ["` + strings.Repeat("t", 600) + `"]}`, `{"content": "a", "entity_names": ["` + strings.Repeat("t", 600) + `"]}`,
			`{"content": "a", "tags": "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21"}`, `{"user": "bob", "tenant": "x"}`,
		} {
			if name == "remember_fact" && !strings.Contains(input, `"a"`) && !strings.HasPrefix(input, "{\"content\": \"") {
				continue // a bare text is a claim; below
			}
			answer := h.call(name, input)
			require.NotContains(t, answer, "failed inside the memory", "%s %.60q", name, input)
		}
	}
	require.Equal(t, before, h.rows("memories"), "nothing was stored")
	require.Zero(t, h.rows("proposals"))
	require.Equal(t, fact.Version, h.memory(fact.UID).Version)
	require.Empty(t, h.fault)
}

func TestOnlyContextErrorsAreReturned(t *testing.T) {
	h := ada(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range h.all {
		answer, err := tool.Call(ctx, "Porto")
		require.ErrorIs(t, err, context.Canceled, tool.Name())
		require.Empty(t, answer)
	}
	require.Zero(t, h.rows("memories"))
}

func TestFaultsAndPanicsAreReported(t *testing.T) {
	var reported []string
	failed := 0
	all := tools.New(tools.Deps{
		Observe: func(ctx context.Context, _ schema.Operation) (context.Context, func(int, error)) {
			return ctx, func(_ int, err error) {
				if err != nil {
					failed++
				}
			}
		},
		DB: openDB(t), Scope: schema.Scope{User: "ada"},
		Search:      func(context.Context, recall.Query) (*recall.Answer, error) { return nil, schema.ErrCorrupt },
		Consolidate: func(context.Context) (string, error) { panic("boom") },
		Stored:      func(context.Context, *schema.Tx, *schema.Memory) error { panic("in a write") },
		Report:      func(_ context.Context, tool string, err error) { reported = append(reported, tool+": "+err.Error()) },
		Stats:       func(context.Context) (string, error) { return "", schema.ErrReadOnly },
	})
	for tool, says := range map[int]string{0: "the database file is damaged", 1: "panicked with a string", 5: "read-only", 7: "panicked with a string"} {
		answer, err := all[tool].Call(t.Context(), "Porto")
		require.NoError(t, err)
		require.Contains(t, answer, says)
	}
	require.NotContains(t, strings.Join(reported, ""), "boom", "a panic may hold a text")
	require.Len(t, reported, 3, "a read-only file is no fault: %v", reported)
	require.Equal(t, 4, failed, "an operation that failed is observed as such")
	_, err := all[0].Call(t.Context(), `{"limit": 3}`)
	require.NoError(t, err)
	require.Equal(t, 4, failed, "a model's mistake is no failure")
}

func TestObservedRecords(t *testing.T) {
	h := ada(t)
	h.says("My dog is called Crumble.", time.Hour)
	var records []int
	remember := tools.New(tools.Deps{DB: h.db, Scope: h.scope, Observe: func(ctx context.Context, _ schema.Operation) (context.Context, func(int, error)) {
		return ctx, func(n int, _ error) { records = append(records, n) }
	}}, "remember_fact")[0]
	for range 2 {
		_, err := remember.Call(t.Context(), "The user's dog is called Crumble.")
		require.NoError(t, err)
	}
	require.Equal(t, []int{1, 0}, records, "saved, then known")
}

// A number of the wrong type or too large is answered with what it has to be.
func TestNumbersAreExplained(t *testing.T) {
	h := newHost(t, openDB(t), schema.Scope{User: "ada"}, "recall_by_cycle", "request_reflection")
	require.Contains(t, h.call("recall_by_cycle", `{"startCycle": [1], "endCycle": 2}`), "startCycle must be a number")
	require.Contains(t, h.call("request_reflection", `{"penalty": 9000}`), "penalty must be a number of tokens from 0 to 7000")
	require.Contains(t, h.call("request_reflection", `{"extra": 24001}`), "extra must be a number of tokens from 0 to 24000")
}

func TestMissingHostFunctions(t *testing.T) {
	all := tools.New(tools.Deps{DB: openDB(t), Scope: schema.Scope{User: "ada"}})
	for _, i := range []int{0, 5, 7} {
		answer, err := all[i].Call(t.Context(), "Porto")
		require.NoError(t, err)
		require.Contains(t, answer, "not available in this host")
	}
}

func TestStatsAndConsolidateDelegate(t *testing.T) {
	all := tools.New(tools.Deps{
		DB: openDB(t), Scope: schema.Scope{User: "ada"},
		Stats:       func(context.Context) (string, error) { return `{"episodes": 3}`, nil },
		Consolidate: func(context.Context) (string, error) { return "decayed 2", nil },
	})
	answer, err := all[5].Call(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, `{"episodes": 3}`, answer)
	answer, err = all[7].Call(t.Context(), "{}")
	require.NoError(t, err)
	require.Equal(t, "decayed 2", answer)
}

func TestClosedDatabase(t *testing.T) {
	db, err := schema.Open(t.Context(), t.TempDir()+"/memory.db", nil)
	require.NoError(t, err)
	h := newHost(t, db, schema.Scope{User: "ada"})
	require.NoError(t, db.Close())
	for _, name := range []string{"search_memory", "remember_fact", "get_entity_info"} {
		require.Contains(t, h.call(name, "Porto"), "the database is closed")
	}
	require.Len(t, h.fault, 3)
	require.ErrorIs(t, errors.Join(h.fault...), schema.ErrClosed)
}

func TestCall(t *testing.T) {
	h := ada(t)
	h.says("The kayak is in Porto.", time.Hour)
	ctx := t.Context()
	response, err := tools.Call(ctx, h.all, llms.ToolCall{ID: "c1", FunctionCall: &llms.FunctionCall{Name: "search_memory", Arguments: `{"query":"kayak"}`}})
	require.NoError(t, err)
	require.Equal(t, "c1", response.ToolCallID)
	require.Equal(t, "search_memory", response.Name)
	require.Contains(t, response.Content, "The kayak is in Porto.")

	response, err = tools.Call(ctx, h.all, llms.ToolCall{ID: "c2", FunctionCall: &llms.FunctionCall{Name: "drop_memory"}})
	require.NoError(t, err)
	require.Contains(t, response.Content, `no tool named "drop_memory"`)
	require.Contains(t, response.Content, "search_memory, remember_fact")

	response, err = tools.Call(ctx, h.all, llms.ToolCall{ID: "c3"})
	require.NoError(t, err)
	require.Contains(t, response.Content, "names no function")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = tools.Call(ended, h.all, llms.ToolCall{ID: "c4", FunctionCall: &llms.FunctionCall{Name: "memory_stats"}})
	require.ErrorIs(t, err, context.Canceled)
}

// A semicolon parts the parameters in a description: inside what is said of
// one, it would begin another.
func TestDescriptionsSeparateParameters(t *testing.T) {
	for _, tool := range ada(t).all {
		parameters := tool.Parameters()["properties"].(map[string]any)
		_, input, _ := strings.Cut(tool.Description(), " Input: ")
		require.Equal(t, max(len(parameters)-1, 0), strings.Count(input, ";"), input)
		required := tool.Parameters()["required"].([]string)
		for name := range parameters { // what a model may leave out has a question mark
			require.Equal(t, !slices.Contains(required, name), strings.Contains(input, name+"?"), name)
		}
	}
}
