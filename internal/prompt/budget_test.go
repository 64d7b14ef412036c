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

// A rare word that lines contain says that a question is about the user's own affairs, whatever its
// form; not that general knowledge is.
func TestARareWordWidensTheBudget(t *testing.T) {
	current := make(map[int64]*ownClaim)
	add := func(text string) {
		m := schema.Memory{ID: int64(len(current) + 1), UID: fmt.Sprint(len(current)), Content: text}
		current[m.ID] = &ownClaim{claim: m, source: m, text: m.Content}
	}
	for id := range 60 {
		add(fmt.Sprintf("Drawer %d holds the %d mm screws.", id, id))
	}
	for _, said := range []string{
		"El que me trae los tintes es Oscar.", "El uniforme de voleibol vale 140 mil.", "The azulejos in the hall came from Porto.",
		"Der Kupferschmied hat den Zapfen.", "共同账户每月存八千。", "We once flew over Peru.", "The moon lamp is broken.",
	} {
		add(said)
	}
	lines := linesOf(current, time.UTC, time.Time{})
	for question, wide := range map[string]bool{
		"quien vende los tintes que se usan aca": true, "cuanto costo la ropa de voleibol": true, "who sold the azulejos": true,
		"hat der kupferschmied sich gemeldet": true, "共同账户一个月多少": true,
		"what is the capital of Peru": false, "how far away is the moon": false, "cual es la capital de Peru": false, "was ist ein Kupferschmied": false, "秘鲁的首都是哪里": false,
		"wie heißt die Hauptstadt von Peru": false,
	} {
		n := lines.Ask(t.Context(), question, "", Meaning{}, nil, time.Now()).Budget(false, 400, 3000)
		require.Equal(t, wide, n > 400, "%s: %d", question, n)
	}
}
