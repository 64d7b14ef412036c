package dream_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

func theme(text string, sources ...string) llmtest.Reply {
	return llmtest.JSON(map[string]any{"insights": []any{map[string]any{"question": 1, "text": text, "importance": 9, "sources": sources}}})
}

func TestThemes(t *testing.T) {
	l := open(t)
	told := func(text string) *schema.Memory { return l.add(func(m *schema.Memory) { user(m); m.Content = text }) }
	about := []*schema.Memory{told("Noor keeps bees"), told("Noor sells honey")}
	l.mention("Noor", about...)
	s := llmtest.New(t)
	s.On(llmtest.Contains("What do the records say about Noor, taken together?"), theme("Noor lives off bees and honey.", "r1", "r2", "r3")).Times(1)
	l.asked(s, ask.Budget{}, dream.Categories())
	require.Empty(t, s.Requests(), "two are no cluster")

	about = append(about, told("Noor won a prize for her honey"))
	l.mention("Noor", about[2])
	before := l.rows()
	report := l.asked(s, ask.Budget{}, dream.Categories())
	require.Len(t, s.Requests(), 1)
	require.Equal(t, 1, report.Changes(), report.Summary())
	made := report.Stages[0].Outcomes[0].Memory
	got := l.get(&schema.Memory{UserID: about[0].UserID, UID: made})
	require.Equal(t, schema.KindReflection, got.Kind)
	require.Equal(t, "semantic", got.Attributes[schema.AttrTier])
	require.InDelta(t, 0.8, got.Importance, 0)
	require.Equal(t, before, l.rows()[:3], "what it rests on stays as it is")
	report = l.asked(s, ask.Budget{}, dream.Categories())
	require.Zero(t, report.Changes())
	require.Len(t, s.Requests(), 1, "a second night asks nothing")

	l.mention("Noor", told("Noor bought a second hive"), told("Noor lost a swarm"))
	l.asked(s, ask.Budget{}, dream.Categories())
	require.Len(t, s.Requests(), 1, "two new ones are not enough")
	l.mention("Noor", told("Noor found the swarm"))
	s.On(llmtest.Any, theme("Noor lost and found a swarm.", "r5", "r6"))
	report = l.asked(s, ask.Budget{}, dream.Categories())
	require.Equal(t, 1, report.Changes())
	require.Equal(t, schema.StateSuperseded, l.get(got).State, "a theme is written again, not beside the old one")
	_, r := l.night(stage{})
	undone, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, schema.StateActive, l.get(got).State)

	l = open(t)
	l.mention("Noor", told("Noor keeps bees"), told("Noor sells honey"), told("Noor won a prize"))
	s = llmtest.New(t)
	s.On(llmtest.Any, theme("Noor met Zaphod in Lisbon.", "r1", "r2"))
	report = l.asked(s, ask.Budget{}, dream.Categories())
	require.Len(t, report.Stages[0].Outcomes, 1)
	require.EqualValues(t, "quarantined", report.Stages[0].Outcomes[0].Status)
	l.asked(s, ask.Budget{}, dream.Categories())
	require.Len(t, s.Requests(), 1)
}

// Groups that yield nothing do not hold up the others.
func TestAllThemesGetTheirTurn(t *testing.T) {
	l := open(t)
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("Tideline %c", 'A'+i))
		var about []*schema.Memory
		for n := range 3 {
			about = append(about, l.add(func(m *schema.Memory) { user(m); m.Content = fmt.Sprintf("%s sold boat %d%d", names[i], i, n) }))
		}
		l.mention(names[i], about...)
	}
	s := llmtest.New(t)
	s.On(llmtest.Any, llmtest.JSON(map[string]any{"insights": []any{}}))
	for day := range 30 {
		l.set(float64(day))
		l.asked(s, ask.Budget{}, dream.Categories())
	}
	require.Len(t, s.Requests(), 30*5)
	for _, name := range names {
		require.True(t, slices.ContainsFunc(s.Requests(), llmtest.Contains("about "+name)), name)
	}
}
