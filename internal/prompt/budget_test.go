package prompt

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestBudgetFollowsTheQuestion(t *testing.T) {
	current := make(map[int64]*ownClaim)
	for id := range int64(60) {
		m := schema.Memory{ID: id + 1, UID: fmt.Sprint(id), Content: fmt.Sprintf("Drawer %d holds the %d mm screws.", id, id)}
		current[m.ID] = &ownClaim{claim: m, source: m, text: m.Content}
	}
	lines := linesOf(current, time.UTC, time.Time{})
	ask := func(lines *Lines, question string) *Asked {
		return lines.Ask(t.Context(), question, "", Meaning{}, nil, time.Now())
	}
	require.False(t, lines.Fit(400))
	for question, want := range map[string]func(int) bool{
		"where do we keep the good scissors, the neighbour asks": func(n int) bool { return n == 3000 },
		"Wie hoch ist der Mont Blanc?":                           func(n int) bool { return n == 280 },
		"How long does it take?":                                 func(n int) bool { return n == 400 },
	} {
		n := ask(lines, question).Budget(false, 400, 3000)
		require.True(t, want(n), "%s: %d", question, n)
	}
	require.Equal(t, 3000, ask(lines, "And where is that?").Budget(true, 400, 3000), "it depends on the conversation")
	for _, order := range []string{"push it", "commit", "show me the diff", "zeig mir den Diff", "ejecuta los tests", "跑一下测试"} {
		require.Equal(t, 280, ask(lines, order).Budget(true, 400, 3000), "the work is at hand: %s", order)
	}
	require.Equal(t, 3000, ask(lines, "show me my letters").Budget(true, 400, 3000))
	few := linesOf(map[int64]*ownClaim{1: current[1]}, time.UTC, time.Time{})
	require.Equal(t, 400, ask(few, "Wie hoch ist der Mont Blanc?").Budget(false, 400, 3000), "all of them fit")
}
