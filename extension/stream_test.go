package extension_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

const anEntry = `{"id":"e1","cycle":188,"timestamp":"2026-02-08T13:23:00Z","role":"research","action":"MemGPT Literature Review","importance":8,"type":"action","tags":["memory","research"],"issueRefs":[95,84],"prRefs":[],"content":"Created docs/research/memgpt-analysis.md: tiers & paging.","tokenEstimate":85}`

func TestSetCycle(t *testing.T) {
	path := fresh(t)
	x := open(t, path)
	qa := extension.Scope{User: "ada", Agent: "qa", Session: "s"}
	require.Zero(t, x.Cycle(qa))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "before any cycle")))
	require.NoError(t, x.SetCycle(t.Context(), qa, 7))
	require.EqualValues(t, 7, x.Cycle(ada), "a team shares its count")
	require.Zero(t, x.Cycle(extension.Scope{User: "ben"}))
	require.NoError(t, x.Bus().Publish(t.Context(),
		eventbus.UserMessage(ada, "in the seventh"), eventbus.UserMessage(ada, "of another", eventbus.Attribute("cycle", "3"))))
	var invalid *extension.InvalidError
	require.ErrorAs(t, x.SetCycle(t.Context(), ada, 6), &invalid)
	require.Equal(t, "cycle", invalid.Field)
	require.ErrorAs(t, x.ResetCycle(t.Context(), ada, -1), &invalid)
	require.ErrorAs(t, x.SetCycle(t.Context(), extension.Scope{}, 1), &invalid)
	require.NoError(t, x.SetCycle(t.Context(), ada, 7))
	require.NoError(t, x.Close(context.Background()))

	y := open(t, path)
	require.EqualValues(t, 7, y.Cycle(ada))
	require.NoError(t, y.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "after the restart")))
	require.NoError(t, y.ResetCycle(t.Context(), ada, 2))
	require.EqualValues(t, 2, y.Cycle(ada))
	records, err := y.Timeline(t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}})
	require.NoError(t, err)
	var said []string
	for _, m := range records {
		said = append(said, m.Content+" "+m.Attributes[schema.AttrCycle])
	}
	require.ElementsMatch(t, []string{"before any cycle ", "in the seventh 7", "of another 3", "after the restart 7"}, said)

	var export bytes.Buffer
	_, err = y.Export(t.Context(), &export, ada)
	require.NoError(t, err)
	restored, stranger := open(t, fresh(t)), open(t, fresh(t))
	_, err = restored.Import(t.Context(), bytes.NewReader(export.Bytes()), transfer.ImportOptions{Restore: true})
	require.NoError(t, err)
	require.EqualValues(t, 2, restored.Cycle(ada))
	_, err = stranger.Import(t.Context(), bytes.NewReader(export.Bytes()), transfer.ImportOptions{Scope: extension.Scope{User: "ada"}})
	require.NoError(t, err)
	require.Zero(t, stranger.Cycle(ada), "a file that nobody vouches for sets no clock")
	_, err = restored.Erase(t.Context(), ada, extension.Erasure{Everything: true})
	require.NoError(t, err)
	require.Zero(t, restored.Cycle(ada))
}

// importStream imports a stream of a team's agents.
func importStream(ctx context.Context, x *extension.Extension, scope extension.Scope, r io.Reader) (*transfer.ImportReport, error) {
	return x.Import(ctx, r, transfer.ImportOptions{Scope: scope, Format: transfer.FormatStream})
}

func TestStreamRoundTrip(t *testing.T) {
	file, err := os.ReadFile("../cmd/ebb/testdata/threetier/stream.jsonl")
	require.NoError(t, err)
	half := bytes.IndexByte(file[len(file)/2:], '\n') + len(file)/2 + 1
	x := open(t, fresh(t))
	_, err = importStream(t.Context(), x, ada, bytes.NewReader(file[:half]))
	require.NoError(t, err)
	report, err := importStream(t.Context(), x, ada, bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, bytes.Count(file, []byte("\n")), report.Read)
	require.Equal(t, bytes.Count(file[:half], []byte("\n")), report.Duplicates, "it is simply repeated")
	require.EqualValues(t, 192, x.Cycle(ada))
	var out bytes.Buffer
	_, err = x.ExportStream(t.Context(), &out, ada)
	require.NoError(t, err)
	require.Equal(t, string(file), out.String())

	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "Survey of lending software", Limit: 1})
	require.NoError(t, err)
	m := answer.Results[0].Memory
	require.Equal(t, "research", m.Agent, "its role")
	require.Equal(t, "assistant", m.Role)
	require.InDelta(t, .6, m.Importance, 1e-9)
	require.Equal(t, schema.OriginImport, m.Origin)
	require.Equal(t, "2", m.Attributes[schema.AttrIssues])
}

func TestStreamErrors(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(anEntry, from, to, 1) }
	x := open(t, fresh(t))
	for _, c := range []struct{ line, field string }{
		{change(`"id":"e1",`, ``), "id"}, {change(`188`, `-1`), "cycle"}, {change(`188`, `1.5`), "cycle"}, {change(`00Z`, `00`), "timestamp"},
		{change(`"research"`, `" "`), "role"}, {change(`MemGPT Lit`, `MemGPT\nLit`), "action"}, {change(`MemGPT Literature Review`, ``), "action"},
		{change(`"importance":8`, `"importance":11`), "importance"}, {change(`"importance":8,`, ``), "importance"}, {change(`"action","tags"`, `"plan","tags"`), "type"},
		{change(`[95,84]`, `[0]`), "issueRefs"}, {change(`"prRefs":[]`, `"prRefs":["x"]`), "prRefs"}, {change(`Created docs/research/memgpt-analysis.md: tiers & paging.`, ``), "content"},
		{change(`:85`, `:-1`), "tokenEstimate"}, {change(`"id"`, `"uuid":1,"id"`), "line"}, {anEntry + `{}`, "line"}, {`{`, "JSON"}, {change(`"tags":["memory"`, `"tags":["a\nb"`), "tags"},
	} {
		_, err := importStream(t.Context(), x, ada, strings.NewReader("\n"+anEntry+"\n"+strings.Replace(c.line, `"e1"`, `"e2"`, 1)))
		var where *transfer.ImportError
		require.ErrorAs(t, err, &where, c.line)
		if c.field != "tags" { // found when the batch is made ready
			require.Equal(t, "line 3", where.Where, c.line)
		}
		var invalid *extension.InvalidError
		require.ErrorAs(t, err, &invalid, c.line)
		require.Equal(t, c.field, invalid.Field, c.line)
	}
	_, err := importStream(t.Context(), x, ada, strings.NewReader(anEntry))
	require.NoError(t, err)
	_, err = importStream(t.Context(), x, ada, strings.NewReader(change("Created", "Wrote")))
	require.ErrorContains(t, err, "another text")
	short := `{"id":"e3","cycle":0,"timestamp":"2026-02-08T14:23:00+01:00","role":"qa","action":"Tried it","importance":2.5,"type":"observation","content":"It works."}`
	_, err = importStream(t.Context(), x, ada, strings.NewReader(short))
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = x.ExportStream(t.Context(), &out, ada)
	require.NoError(t, err)
	require.Equal(t, anEntry+"\n"+`{"id":"e3","cycle":0,"timestamp":"2026-02-08T13:23:00Z","role":"qa","action":"Tried it","importance":2.5,"type":"observation","tags":[],"issueRefs":[],"prRefs":[],"content":"It works.","tokenEstimate":3}`+"\n", out.String())
}

func TestMemoryLog(t *testing.T) {
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Tools: extension.ToolsConfig{Names: []string{"memory_log", "search_memory"}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	require.NoError(t, x.SetCycle(t.Context(), ada, 12))
	s := session(t, x, extension.Scope{User: "ada", Agent: "qa", Session: "cycle 12"})
	require.Len(t, s.Tools(), 2)
	call := func(arguments string) string {
		t.Helper()
		answer, err := s.CallTool(t.Context(), llms.ToolCall{FunctionCall: &llms.FunctionCall{Name: "memory_log", Arguments: arguments}})
		require.NoError(t, err)
		return answer.Content
	}
	entry := `{"action":"Merged the retry fix","importance":7,"type":"action","tags":["sync"],"content":"The upload is tried %s times now.","issueRefs":["#95",84],"prRefs":96}`
	require.Contains(t, call(fmt.Sprintf(entry, "three")), "Logged as ")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.ToolResult(extension.Scope{User: "ada", Session: "cycle 12"}, "browse", "A page.")))
	require.Contains(t, call(fmt.Sprintf(entry, "four")), "Logged as ")
	for wrong, field := range map[string]string{
		`{"action":"x","importance":0,"type":"action","content":"y"}`: "importance", `{"action":"x","importance":5,"type":"reflection","content":"y"}`: "type",
		`{"action":"x","importance":5,"type":"action","content":"y","issueRefs":["x"]}`: "issueRefs", `{"action":"x","importance":5,"type":"action"}`: "content",
		`{"action":"` + strings.Repeat("x", 201) + `","importance":5,"type":"action","content":"y"}`: "action", `{"action":"x","type":"action","content":"y","importance":1.5}`: "importance",
		`{"action":"x","importance":5,"type":"action","content":"y","role":"ceo"}`: "role",
	} {
		require.Contains(t, call(wrong), field, wrong)
	}
	answer, err := x.Recall(t.Context(), ada, extension.Query{Text: "upload tried times", Limit: 2})
	require.NoError(t, err)
	require.Len(t, answer.Results, 2)
	for _, r := range answer.Results {
		m := r.Memory
		require.Equal(t, "qa", m.Agent)
		require.Equal(t, schema.OriginAssistant, m.Origin)
		want := schema.MaxTrust
		if strings.Contains(m.Content, "four") {
			want = 1
		}
		require.Equal(t, want, m.Trust, "no more than what its turn has had in view")
		require.Equal(t, schema.Attributes{"cycle": "12", "type": "action", "issues": "95,84", "prs": "96", "tokens": m.Attributes["tokens"]}, m.Attributes)
		require.NotEmpty(t, m.Attributes["tokens"])
	}
	_, err = extension.Open(t.Context(), fresh(t), &extension.Config{Tools: extension.ToolsConfig{Names: []string{"recall"}}})
	var invalid *extension.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Config.Tools.Names", invalid.Field)
}
