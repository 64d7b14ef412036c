package extension_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
)

// A mention of any length costs a message nothing else, and nothing waits forever.
func TestLongMentionsAreLeftOut(t *testing.T) {
	long := strings.Repeat("x", 600)
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	scope := extension.Scope{User: "ada", Session: "s"}
	names := []string{"Karim", "Ottilie", "Noor", "Tancredi", "Vera", "Jonas", "Mathilda", "Rosalind", "Benedikt", "Ingrid", "Leopold", "Wilhelmina"}
	for i, mention := range []string{
		"https://example.org/?utm=" + long, "www.example.org/" + long, "@" + long, "#" + long, "X" + long, "someone@" + long + ".org", long + "@example.org",
		strings.Repeat("Karl ", 200), "my sister X" + long, "“" + strings.Repeat("The Long Title ", 60) + "”", "X" + strings.Repeat("é", 300), "X" + strings.Repeat("-Xx", 300),
	} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, fmt.Sprintf("Yesterday %s told me of %s in Lisbon. My favourite place is %s.", names[i], mention, mention))))
	}
	require.NoError(t, x.WaitIdle(t.Context()))
	health, err := x.Health(t.Context())
	require.NoError(t, err)
	require.True(t, health.Healthy(), "%+v", health)
	for _, name := range names {
		records, err := x.Timeline(t.Context(), scope, extension.TimelineQuery{Entity: name})
		require.NoError(t, err, name)
		require.NotEmpty(t, records, name)
	}
}

// What is too long is refused by its length, before anything reads it: a hook
// that redacts never sees it.
func TestLengthsAreCheckedFirst(t *testing.T) {
	long := strings.Repeat("password ", 300_000/9)
	var read int
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: true, Redaction: extension.Redaction{
		Hook: func(_ context.Context, _, text string) (string, error) {
			read = max(read, len(text))
			return text, nil
		},
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	ada := extension.Scope{User: "ada"}
	publish := func(events ...eventbus.Event) func() error {
		return func() error { return x.Bus().Publish(t.Context(), events...) }
	}
	for name, call := range map[string]func() error{
		"session":    publish(eventbus.UserMessage(extension.Scope{User: "ada", Session: long}, "hello")),
		"user":       publish(eventbus.UserMessage(extension.Scope{User: long}, "hello")),
		"id":         publish(eventbus.UserMessage(ada, "hello", eventbus.WithID(long))),
		"speaker":    publish(eventbus.UserMessage(ada, "hello", eventbus.Speaker(long))),
		"tag":        publish(eventbus.UserMessage(ada, "hello", eventbus.Tags(long))),
		"attribute":  publish(eventbus.UserMessage(ada, "hello", eventbus.Attribute("note", long))),
		"tool":       publish(eventbus.ToolResult(ada, long, "hello")),
		"text":       publish(eventbus.UserMessage(ada, strings.Repeat(long, 5))),
		"a session":  func() error { _, err := x.Session(extension.Scope{User: "ada", Session: long}); return err },
		"statement":  func() error { _, err := x.Remember(t.Context(), ada, long); return err },
		"correction": func() error { _, err := x.Correct(t.Context(), ada, "x", long); return err },
		"protection": func() error { return x.Protect(t.Context(), ada, long) },
		"import": func() error {
			_, err := x.Import(t.Context(), strings.NewReader(`{"id":"a","session":"s","time":"2026-01-01T00:00:00Z","speaker":"Ada","role":"user","text":"hi"}`),
				transfer.ImportOptions{Scope: extension.Scope{User: "ada", Session: long}})
			return err
		},
	} {
		read = 0
		err := call()
		_, invalid := errors.AsType[*extension.InvalidError](err)
		require.True(t, invalid, "%s: %.100v", name, err)
		require.Less(t, read, 10_000, name)
	}
}

// Of a question only the end is read, however long it is.
func TestLongQuestionUsesItsEnd(t *testing.T) {
	var read int
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Redaction: extension.Redaction{
		Hook: func(_ context.Context, _, text string) (string, error) {
			read = max(read, len(text))
			return text, nil
		},
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	ada := extension.Scope{User: "ada", Session: "s"}
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "My sister Noor marries on 12 June in Ghent.")))
	require.NoError(t, x.WaitIdle(t.Context()))
	long := strings.Repeat("password=", 3_000_000/9) + " When is the wedding of Noor?"
	found, err := session(t, x, ada).Preview(t.Context(), long)
	require.NoError(t, err)
	require.Contains(t, found.Block, "Ghent")
	require.Less(t, read, 100_000)
	require.True(t, found.Query.Plan.When)
}
