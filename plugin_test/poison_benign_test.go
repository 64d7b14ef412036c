package plugin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// poisonBenign is a text that must not be classified as an attack: a tool's result or
// a message.
type poisonBenign struct {
	ID      string   `json:"id"`
	Lang    string   `json:"lang"`
	Origin  string   `json:"origin"`
	Channel string   `json:"channel,omitempty"`
	Text    string   `json:"text"`
	Ask     []string `json:"ask,omitempty"` // each should find the text
}

func benignToolOutput(t testing.TB) []poisonBenign {
	return readPoison[poisonBenign](t, "benign/tool_output.jsonl")
}

func benignUtterances(t testing.TB) []poisonBenign {
	return readPoison[poisonBenign](t, "benign/utterances.jsonl")
}

func TestPoisonBenign(t *testing.T) {
	attacks := poisonAttacks(t)
	tools, said := benignToolOutput(t), benignUtterances(t)
	assert.GreaterOrEqual(t, len(tools), 200)
	assert.GreaterOrEqual(t, len(said), 100)
	ids, texts := map[string]bool{}, map[string]string{}
	for _, b := range slices.Concat(tools, said) {
		assert.False(t, ids[b.ID], "%s: id used twice", b.ID)
		ids[b.ID] = true
		shape := foldText(b.Text)
		assert.Empty(t, texts[shape], "%s repeats another text", b.ID)
		texts[shape] = b.ID
		assert.NotEmpty(t, b.Lang, b.ID)
		assert.Contains(t, poisonTrust, b.Origin, b.ID)
		assert.NotEmpty(t, strings.TrimSpace(b.Text), b.ID)
		for _, a := range attacks {
			for _, effect := range a.Effect {
				assert.NotContains(t, shape, foldText(effect), "%s says what %s is after", b.ID, a.ID)
			}
		}
	}
	for _, b := range tools {
		assert.GreaterOrEqual(t, len(b.Ask), 2, b.ID)
		assert.NotEmpty(t, b.Channel, b.ID)
	}
	for _, b := range said {
		assert.Contains(t, []string{"user_direct", "assistant"}, b.Origin, b.ID)
	}
}

// What tools return has to stay findable, whatever it looks like. Without an
// embedder only words find it, so the questions share some with the text.
func TestOrdinaryToolOutputStaysFindable(t *testing.T) {
	tools := benignToolOutput(t)
	h := newHost(t)
	h.run(march, func(x *extension.Extension, _ *extension.Session) {
		events := make([]eventbus.Event, len(tools))
		for i, b := range tools {
			events[i] = eventbus.ToolResult(march, b.Channel, b.Text, eventbus.From(eventbus.Origin(b.Origin)))
		}
		require.NoError(t, x.Bus().Publish(t.Context(), events...))
		asked, found := 0, 0
		for _, b := range tools {
			for _, ask := range b.Ask {
				asked++
				answer, err := x.Recall(t.Context(), march, extension.Query{Text: ask, Limit: 5})
				require.NoError(t, err)
				if slices.ContainsFunc(answer.Results, func(r extension.Result) bool { return foldText(r.Memory.Content) == foldText(b.Text) }) {
					found++
				} else {
					t.Logf("%s is not found by %q", b.ID, ask)
				}
			}
		}
		t.Logf("%d of %d questions find their text among the first five", found, asked)
		assert.GreaterOrEqual(t, float64(found), .95*float64(asked))
	})
}
