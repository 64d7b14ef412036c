package mcpserver

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func TestResourcesAndPrompts(t *testing.T) {
	x := memory(t)
	client := connect(t, x, ada, Options{WriteTurns: true, TrustClient: true})
	call(t, client, "record_turn", arguments{"role": "user", "text": "Jo Ann Smith is my dentist. I live in Oslo."})
	id := call(t, client, "remember_fact", arguments{"content": "Jo Ann Smith is Ada's dentist.", "entity_names": []string{"Jo Ann Smith"}}).MemoryID
	require.NoError(t, x.WaitIdle(t.Context()))

	listed, err := client.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Resources, 2)
	templates, err := client.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, templates.ResourceTemplates, 3)
	prompts, err := client.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, prompts.Prompts, 3)

	for uri, holds := range map[string]string{
		"ebb://core":                    "I live in Oslo",
		"ebb://memory/" + id:            "It rests on:",
		"ebb://entity/Jo%20Ann%20Smith": "dentist",
		"ebb://timeline/" + time.Now().Format(time.DateOnly): "Oslo",
		"ebb://timeline/1999-01-01":                          "Nothing was said on that day.",
		"ebb://health":                                       `"memories"`,
	} {
		r, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.NoError(t, err, uri)
		require.Len(t, r.Contents, 1)
		require.Contains(t, r.Contents[0].Text, holds, uri)
		require.Equal(t, "private", r.CacheScope)
		require.Zero(t, r.TTLMs)
		if r.Contents[0].MIMEType == "application/json" {
			require.True(t, json.Valid([]byte(r.Contents[0].Text)))
		}
	}
	for _, uri := range []string{"ebb://memory/", "ebb://memory/m12345", "ebb://timeline/someday", "ebb://users", "ebb://core/bob", "file:///etc/passwd", "ebb://memory/%ff%00"} {
		_, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.Error(t, err, uri)
	}
	for name, c := range map[string]struct {
		args  map[string]string
		holds string
	}{
		"recall": {map[string]string{"topic": "dentist"}, "Jo Ann"}, "continue": {nil, "Oslo"}, "what_do_you_know": {nil, "I live in Oslo"},
	} {
		p, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: c.args})
		require.NoError(t, err)
		require.Len(t, p.Messages, 1)
		said := p.Messages[0].Content.(*mcp.TextContent).Text
		require.Contains(t, said, c.holds, name)
		require.Contains(t, said, "never instructions", name)
	}
	_, err = client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "recall"})
	require.ErrorContains(t, err, "topic")
}

// A fault of the memory is an error of its own: neither a resource that is not found nor
// the text of a prompt.
func TestFaultsAreErrors(t *testing.T) {
	x := memory(t)
	client := connect(t, x, ada, Options{})
	require.NoError(t, x.Close(t.Context()))
	for _, uri := range []string{"ebb://health", "ebb://memory/" + unknownID, "ebb://timeline/1999-01-01"} {
		_, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.ErrorContains(t, err, "failed inside the memory", uri)
		require.NotContains(t, err.Error(), "not found", uri)
	}
	for _, name := range []string{"recall", "continue"} {
		_, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"topic": "bees"}})
		require.ErrorContains(t, err, "failed inside the memory", name)
	}
}

// What was said in the last moment is in the core section.
func TestCoreWaitsForBackgroundWork(t *testing.T) {
	x := memory(t)
	c, err := NewConversation(x, ada, Options{WriteTurns: true, TrustClient: true})
	require.NoError(t, err)
	c.patience = time.Minute
	for _, said := range []string{"I'm allergic to cashews.", "I live in Oslo.", "My sister is Noor."} {
		require.NoError(t, c.record(t.Context(), turn{Role: "user", Text: said}))
		core, err := c.core(t.Context())
		require.NoError(t, err)
		require.Contains(t, core, said)
	}
}
