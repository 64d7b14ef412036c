package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestReadAcceptsWhatAgentsWrite(t *testing.T) {
	search := searchMemory()
	for _, input := range []string{
		`{"query": "Lisbon flat"}`,
		`Lisbon flat`,
		"  Lisbon flat \n",
		`"Lisbon flat"`,
		`{"__arg1": "Lisbon flat"}`,
		`{"__arg1": {"query": "Lisbon flat"}}`,
		`{"__arg1": "{\"query\": \"Lisbon flat\"}"}`,
		`{"__arg1": {"__arg1": "Lisbon flat"}}`,
		`"{\"query\": \"Lisbon flat\"}"`,
		"```json\n{\"query\": \"Lisbon flat\"}\n```",
		"```\n{\"query\": \"Lisbon flat\"}\n```\nThat should find it.",
		"```json {\"query\": \"Lisbon flat\"}```",
		"```\nLisbon flat\n```",
		"\ufeff{\"query\": \"Lisbon flat\"}",
		"{\"query\": \"Lisbon flat\"}\nObservation: I will wait for the result.",
		"Lisbon flat\nObservation: There is a flat.\nThought: Good.",
		"\"Lisbon flat\"\nObservation: There is a flat.",
		"{\"query\": \"Lisbon flat\"}\nObservation: Found.\nAction Input: {\"query\": \"Oslo\"}",
		"```json\n{\"query\": \"Lisbon flat\"}\nObservation: Found.\n```",
		"{\"query\": \"Lisbon flat\"} Observation: {\"results\": []}",
		"{\"query\": \"Lisbon flat\"}\nThought: the format is {'query': ...}",
		"{\"query\": \"Lisbon flat\"}\nI expect: {\"found\": 1}",
		`{"query": "Lisbon flat", "kind": null, "tag": ""}`,
	} {
		args, err := search.read(t.Context(), input)
		require.NoError(t, err, input)
		require.Equal(t, "Lisbon flat", args.text("query"), input)
		require.NoError(t, args.err, input)
	}
}

func TestReadTextInBrackets(t *testing.T) {
	for _, input := range []string{"[Update] I live in Oslo now.", "[2026-02-09] I moved to Oslo.", "[Update] I moved.\nObservation: saved"} {
		args, err := rememberFact().read(t.Context(), input)
		require.NoError(t, err, input)
		want, _, _ := strings.Cut(input, "\n")
		require.Equal(t, want, args.text("content"))
		require.NoError(t, args.err, input)
	}
}

func TestReadExplainsMistakes(t *testing.T) {
	search, correct, stats, remember, cycles := searchMemory(), correctFact(), memoryStats(), rememberFact(), recallByCycle()
	for _, c := range []struct {
		tool  *Tool
		input string
		says  string
	}{
		{search, "", "query is missing"},
		{search, " \n", "query is missing"},
		{search, "{}", "query is missing"},
		{search, "null", "query is missing"},
		{search, `{"__arg1": ""}`, "query is missing"},
		{search, `{"__arg1": null}`, "query is missing"},
		{search, `{"query": "  "}`, "query is missing"},
		{search, `{"query": ["a"]}`, "query must be a text"},
		{search, `{"query": "a", "user": "bob", "Limit": 3}`, `unknown fields "Limit", "user". It takes query (required), kind, tag, limit, since, until`},
		{search, `{"query": "a"`, "ends in the middle"},
		{search, `{query: a}`, "not valid JSON"},
		{search, `{"query": "a", "limit": NaN}`, "not valid JSON"},
		{search, "{\"query\": \"a log:\nObservation: a heron\"}", `invalid character '\n' in string literal`},
		{search, `{"query": "a"}{"query": "b"}`, "more than one JSON object"},
		{search, `{"query": "a"}, {"query": "b"}`, "more than one JSON object"},
		{search, `{"query": "a"}; { 'query': 'b' }`, "more than one JSON object"},
		{search, "{\"query\": \"a\"}\nAction Input: {\"query\": \"b\"}", "more than one JSON object"},
		{search, `["a"]`, "JSON array"},
		{remember, "[{\"content\": \"a\"}]\nObservation: saved", "JSON array"},
		{remember, `[{'content': 'a'}]`, "JSON array"},
		{remember, `[ 'a', 'b' ]`, "JSON array"},
		{remember, `[]`, "JSON array"},
		{remember, "{\"content\": \"a\"}\nNext I will call {\"content\": \"b\"}", "more than one JSON object"},
		{remember, `remember_fact({"content": "a"})`, "neither JSON nor just the text"},
		{remember, "content: a", "neither JSON nor just the text"},
		{cycles, `{"startCycle": " ", "endCycle": 2}`, "startCycle is missing"},
		{search, `{"__arg1": ["a"]}`, "must be a text or an object"},
		{search, "\xff\xfe\x00", "not text"},
		{search, "a\x00b", "not text"},
		{search, `{"query": "a\u0000b"}`, "not text"},
		{search, `{"query": "\ud800"}`, "not text"},
		{search, strings.Repeat("a", maxInput+1), "65537 bytes"},
		{search, strings.Repeat(`{"__arg1":`, 9) + `"a"` + strings.Repeat("}", 9), "wrapped too many times"},
		{search, strings.Repeat("[", 20_000), "Nothing"}, // bare text; see below
		{correct, "01890000-0000-7000-8000-000000000000", "new_content is missing"},
		{stats, `{"user": "bob"}`, "It takes no fields"},
	} {
		_, err := c.tool.read(t.Context(), c.input)
		if c.says == "Nothing" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.says, clip(c.input, 60))
		require.IsType(t, mistake(""), err)
	}
	for _, input := range []string{"", "{}", "none", `{"__arg1": ""}`, `{"__arg1": "now"}`} {
		_, err := stats.read(t.Context(), input)
		require.NoError(t, err, input)
	}
}

func TestListsInTexts(t *testing.T) {
	remember, log := rememberFact(), memoryLog()
	for input, items := range map[string][]string{
		`["Noor", "Ada"]`:       {"Noor", "Ada"},
		`"[\"Noor\", \"Ada\"]"`: {"Noor", "Ada"},
		`"[180, 185]"`:          {"180", "185"},
		`"Noor, Ada"`:           {"Noor", "Ada"},
		`["", "Ada"]`:           {"Ada"},
		`"['Noor', 'Ada']"`:     nil,
		`"[boat]"`:              nil,
		`"[\"a\"] and b"`:       nil,
	} {
		args, err := remember.read(t.Context(), `{"content": "a", "tags": `+input+`}`)
		require.NoError(t, err)
		require.Equal(t, items, args.list("tags"), input)
		if items == nil {
			require.ErrorContains(t, args.err, `tags is not a JSON list: `, input)
			require.ErrorContains(t, args.err, `Write ["one", "two"]`, input)
		} else {
			require.NoError(t, args.err)
		}
	}
	args, err := log.read(t.Context(), `{"action": "a", "importance": 5, "type": "action", "content": "b", "issueRefs": "[95, 84]"}`)
	require.NoError(t, err)
	require.Equal(t, []int64{95, 84}, args.numbers("issueRefs"))
	require.NoError(t, args.err)
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "Lisbon", `{"query":"a","limit":"1e9"}`, `{"__arg1":"{\"query\":\"a\"}"}`, "```json\n{\"query\":1}\n```", `{"query":"a"} then`,
		"\"", "\"a\"", "[1]", "```", "{\"__arg1\":{\"__arg1\":{}}}", `{"limit":-1e400,"query":"x"}`, "\xff", "{\"query\":\"\\ud800\"}",
	} {
		f.Add(seed)
	}
	all := New(Deps{}, Names()...)
	f.Fuzz(func(t *testing.T, input string) {
		for _, tool := range all {
			args, err := tool.read(t.Context(), input)
			if err != nil {
				require.IsType(t, mistake(""), err)
				require.True(t, utf8.ValidString(err.Error()), "%q", err)
				continue
			}
			for _, p := range tool.parameters {
				args.err = nil
				if value := args.text(p.name); args.err == nil {
					require.True(t, utf8.ValidString(value) && !strings.Contains(value, "\x00"))
					require.False(t, p.required && value == "", "%s of %s is empty", p.name, tool.name)
				}
				_, _ = args.number(p.name)
				_ = args.list(p.name)
			}
			// What was read can be written down and read again to the same effect.
			again, err := json.Marshal(args.fields)
			require.NoError(t, err)
			if len(again) <= maxInput {
				second, err := tool.read(t.Context(), string(again))
				require.NoError(t, err, "%s", again)
				require.Len(t, second.fields, len(args.fields))
			}
		}
	})
}
