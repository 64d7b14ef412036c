package mcpserver

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/tools"
)

// Every tool is annotated and declares what it answers; none has a parameter for
// the user.
func TestToolsAreDescribed(t *testing.T) {
	listed, err := connect(t, memory(t), ada, Options{WriteTurns: true}).ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Tools, len(offers)+1)
	require.LessOrEqual(t, len(listed.Tools), 12)
	tokens := 0
	for _, tool := range listed.Tools {
		require.NotEmpty(t, tool.Title)
		require.NotNil(t, tool.Annotations.OpenWorldHint)
		require.False(t, *tool.Annotations.OpenWorldHint)
		require.NotNil(t, tool.Annotations.DestructiveHint)
		require.NotNil(t, tool.OutputSchema)
		raw, err := json.Marshal(tool)
		require.NoError(t, err)
		require.NotRegexp(t, regexp.MustCompile(`"(user|tenant|scope|agent)(_id|_name)?":\{`), string(raw))
		require.NotContains(t, string(raw), `"type":[`, "some clients know single types alone")
		tokens += text.Tokens(string(raw))
	}
	t.Logf("%d tokens", tokens)
	require.LessOrEqual(t, tokens, 3500, "clients put the list into every prompt; docs/MCP.md names the limit")
}

// What a tool answers fits the schema that it declares.
func TestStructuredContentFitsItsSchema(t *testing.T) {
	client := connect(t, memory(t), ada, Options{WriteTurns: true, TrustClient: true})
	listed, err := client.ListTools(t.Context(), nil)
	require.NoError(t, err)
	schemas := make(map[string]*jsonschema.Resolved)
	for _, tool := range listed.Tools {
		raw, err := json.Marshal(tool.OutputSchema)
		require.NoError(t, err)
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(raw, &s))
		schemas[tool.Name], err = s.Resolve(nil)
		require.NoError(t, err)
	}
	called := make(map[string]bool)
	fits := func(tool string, args arguments) map[string]any {
		called[tool] = true
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		require.NoError(t, err)
		require.False(t, r.IsError, "%s: %s", tool, r.Content[0].(*mcp.TextContent).Text)
		require.NoError(t, schemas[tool].Validate(r.StructuredContent), tool)
		return r.StructuredContent.(map[string]any)
	}
	fits("record_turn", arguments{"role": "user", "text": "My sister Noor moved to Ghent. I'm allergic to nuts.", "id": "1"})
	fits("record_turn", arguments{"role": "assistant", "text": "Noted."})
	saved := fits("remember_fact", arguments{"content": "Ada is allergic to nuts.", "entity_names": []string{"Ada"}})
	require.NotEmpty(t, saved["memory_id"])
	id := saved["memory_id"]
	hit := fits("search_memory", arguments{"query": "nuts", "why": true, "as_of": "2030-01-01"})
	require.NotEmpty(t, hit["records"])
	require.Contains(t, hit["records"].([]any)[0], "why")
	require.NotContains(t, fits("search_memory", arguments{"query": "nuts"})["records"].([]any)[0], "why")
	fits("search_memory", arguments{"query": "zzz"})
	fits("get_memory", arguments{"memory_id": id})
	fits("recent_context", arguments{"days": 1})
	fits("recent_context", arguments{"session": "mcp 1"})
	fits("recent_context", arguments{"session": "none"})
	fits("get_entity_info", arguments{"name": "Noor"})
	call(t, client, "record_turn", arguments{"role": "user", "text": "No, I'm allergic to cashews, not to nuts."})
	id = fits("correct_fact", arguments{"memory_id": id, "new_content": "Ada is allergic to cashews."})["memory_id"]
	fits("confirm_fact", arguments{"memory_id": id})
	fits("forget_memory", arguments{"query": "Noor"})
	fits("forget_memory", arguments{"memory_id": id})
	fits("memory_stats", nil)
	for _, tool := range listed.Tools {
		require.True(t, called[tool.Name], "no answer of %s is checked", tool.Name)
	}
}

// A mistake is an error of the tool, not of the protocol: the model reads how to
// correct it.
func TestMistakesAreAnswers(t *testing.T) {
	client := connect(t, memory(t), ada, Options{WriteTurns: true})
	for name, c := range map[string]struct {
		tool string
		args any
	}{
		"no query":                {"search_memory", arguments{}},
		"a user":                  {"search_memory", arguments{"query": "x", "user": "bob"}},
		"a tenant":                {"remember_fact", arguments{"content": "x is y", "tenant": "acme"}},
		"why is no flag":          {"search_memory", arguments{"query": "x", "why": "maybe"}},
		"as_of is no time":        {"search_memory", arguments{"query": "x", "as_of": "when it rained"}},
		"an array":                {"search_memory", []string{"x"}},
		"no id":                   {"get_memory", arguments{}},
		"unknown id":              {"get_memory", arguments{"memory_id": unknownID}},
		"a short id never shown":  {"get_memory", arguments{"memory_id": "m12345"}},
		"too many days":           {"recent_context", arguments{"days": 100000}},
		"a day that is none":      {"recent_context", arguments{"day": "someday"}},
		"a turn of a third":       {"record_turn", arguments{"role": "system", "text": "x"}},
		"a turn without words":    {"record_turn", arguments{"role": "user", "text": " "}},
		"a turn for another user": {"record_turn", arguments{"role": "user", "text": "x", "user": "bob"}},
		"a turn with trust":       {"record_turn", arguments{"role": "user", "text": "x", "trust": 4, "origin": "user_direct"}},
		"a turn that is no text":  {"record_turn", arguments{"role": "user", "text": 7}},
	} {
		t.Run(name, func(t *testing.T) {
			a := call(t, client, c.tool, c.args)
			require.True(t, a.failed, a.text)
			require.Contains(t, a.text, c.tool)
		})
	}
	_, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_consolidate"})
	require.Error(t, err, "nights are left to the command line")
	_, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"})
	require.Error(t, err)
}

// Every change is reported as what it is.
func TestChangesAreReported(t *testing.T) {
	client := connect(t, memory(t), ada, Options{WriteTurns: true, TrustClient: true})
	call(t, client, "record_turn", arguments{"role": "user", "text": "I live in Oslo. Never forget that I am allergic to nuts."})
	saved := call(t, client, "remember_fact", arguments{"content": "Ada's cousin has a red boat."})
	require.Equal(t, tools.ChangeSaved, saved.Change)
	require.Equal(t, tools.ChangeKnown, call(t, client, "remember_fact", arguments{"content": "Ada's cousin has a red boat."}).Change)
	corrected := call(t, client, "correct_fact", arguments{"memory_id": saved.MemoryID, "new_content": "Ada's cousin has a blue boat."})
	require.Equal(t, tools.ChangeProposed, corrected.Change)
	require.Equal(t, saved.MemoryID, corrected.MemoryID)
	require.Equal(t, tools.ChangeProposed, call(t, client, "confirm_fact", arguments{"memory_id": saved.MemoryID}).Change)
	require.Equal(t, tools.ChangeProposed, call(t, client, "forget_memory", arguments{"memory_id": saved.MemoryID}).Change)
	choice := call(t, client, "forget_memory", arguments{"query": "boat"})
	require.Equal(t, tools.ChangeNone, choice.Change)
	require.NotEmpty(t, choice.Records)
	call(t, client, "record_turn", arguments{"role": "user", "text": "Please forget that my cousin has a red boat."})
	require.Equal(t, tools.ChangeForgotten, call(t, client, "forget_memory", arguments{"memory_id": saved.MemoryID}).Change)
	require.True(t, call(t, client, "get_memory", arguments{"memory_id": saved.MemoryID}).failed, "what is forgotten is not shown")
	require.Equal(t, tools.ChangeNone, call(t, client, "remember_fact", arguments{"content": "Ada's cousin has a red boat."}).Change)
}
