package plugin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
	"github.com/ebbmem/ebb/internal/llmtest"
)

func drawn(text, object, quote string) llmtest.Reply {
	return llmtest.JSON(map[string]any{"facts": []any{map[string]any{
		"text": text, "kind": "fact", "subject": "the user", "predicate": "lives_in", "object": object, "type": "state", "when": "",
		"confidence": 0.9, "importance": 8, "sources": []string{"m1"}, "quote": quote,
	}}})
}

// What has changed is current the next morning; what was so can still be asked
// for; and the night that saw it can be taken back.
func TestMovingHouse(t *testing.T) {
	server := llmtest.New(t)
	server.On(llmtest.LastContains("I moved to Oslo"), drawn("The user lives in Oslo.", "Oslo", "I moved to Oslo"))
	server.On(llmtest.LastContains("I live in Lisbon"), drawn("The user lives in Lisbon.", "Lisbon", "I live in Lisbon"))

	now := clock.At(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	h := newHost(t)
	h.cfg = extension.Config{Now: now.Now, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true}, NoClaims: true, Model: server.LLM(t)}
	scope := extension.Scope{User: "ada", Session: "spring"}
	const question = "Where does the user live?"
	current := func(x *extension.Extension, q extension.Query) (texts []string) {
		q.Kinds = []extension.Kind{extension.KindFact}
		answer, err := x.Recall(t.Context(), scope, q)
		require.NoError(t, err)
		for _, r := range answer.Results {
			texts = append(texts, r.Memory.Content)
		}
		return texts
	}
	say := func(x *extension.Extension, text string) {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, text)))
		require.NoError(t, x.WaitIdle(t.Context()))
	}
	h.run(scope, func(x *extension.Extension, _ *extension.Session) {
		say(x, "I live in Lisbon, near the river.")
		_, err := x.Consolidate(t.Context(), scope)
		require.NoError(t, err)
	})
	now.Set(time.Date(2026, 6, 9, 20, 0, 0, 0, time.UTC))
	h.run(scope, func(x *extension.Extension, _ *extension.Session) {
		say(x, "I moved to Oslo! The flat is tiny.")
		now.Add(10 * time.Hour)
		report, err := x.Consolidate(t.Context(), scope)
		require.NoError(t, err)

		require.Equal(t, []string{"The user lives in Oslo."}, current(x, extension.Query{Text: question}))
		require.Equal(t, []string{"The user lives in Lisbon."}, current(x, extension.Query{
			Text: question, AsOf: extension.AsOf{Valid: time.Date(2026, 5, 15, 0, 0, 0, 0, time.UTC)},
		}), "where did I live in May?")
		timeline, err := x.Timeline(t.Context(), scope, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact}})
		require.NoError(t, err)
		require.Len(t, timeline, 2, "both, with their dates")
		require.Equal(t, "2026-06-09", timeline[0].ValidUntil.Format(time.DateOnly))

		undone, err := x.Undo(t.Context(), scope, report.RunID)
		require.NoError(t, err)
		require.Empty(t, undone.Kept)
		require.Equal(t, []string{"The user lives in Lisbon."}, current(x, extension.Query{Text: question}))
		again, err := x.Consolidate(t.Context(), scope)
		require.NoError(t, err)
		require.NotEqual(t, report.RunID, again.RunID)
		require.Equal(t, []string{"The user lives in Oslo."}, current(x, extension.Query{Text: question}), "the next night takes it up again")
	})
}
