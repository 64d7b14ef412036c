package recall

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// instructing are instructions, and turns that share more words with the questions.
var instructing = []turn{
	{session: "one", role: "user", text: "Always give prices in euros when I ask about trips.", minutes: 1},
	{session: "one", role: "user", text: "Always use bullet points when I ask about recipes.", minutes: 2},
	{session: "one", role: "user", text: "Never use the long form when I ask about ferries.", minutes: 3},
	{session: "two", role: "user", text: "The week in Norway was cold.", minutes: 4},
	{session: "two", role: "user", text: "I read about the week of the elections in Norway.", minutes: 5},
	{session: "two", role: "user", text: "Norway in a week is not enough, I want another week in Norway.", minutes: 6},
	{session: "two", role: "user", text: "Next week there is more about Norway.", minutes: 7},
	{session: "two", role: "assistant", text: "Always use the week in May when you go to Norway.", minutes: 8},
}

func TestInstructionsGovern(t *testing.T) {
	db := open(t)
	say(t, db, ada, instructing...)
	s := New(db, Options{})
	defer s.Close()
	w := DefaultWeights()
	w.Governs = 0
	without := New(db, Options{Weights: &w})
	defer without.Close()
	const question = "What would a trip for a week in Norway cost?"
	want := instructing[0].text
	found := search(t, s, Query{Text: question})
	require.Equal(t, 3, slices.Index(texts(search(t, without, Query{Text: question})), want))
	require.Equal(t, 2, slices.Index(texts(found), want), "third at best")
	for _, r := range found.Results {
		require.Equal(t, r.Memory.Content == want, strings.Contains(r.Explain(), "governs "))
	}
}

// An instruction that has nothing to do with the question is no result because it is
// one, and another's is none at all.
func TestInstructionsOfOthersDoNotGovern(t *testing.T) {
	db := open(t)
	say(t, db, ada, instructing...)
	s := New(db, Options{})
	defer s.Close()
	require.Empty(t, search(t, s, Query{Text: "Zzyzx?"}).Results)
	require.Empty(t, search(t, s, Query{Text: "How do I cook a risotto?", Kinds: []schema.Kind{schema.KindFact}}).Results)
	require.Empty(t, searchAs(t, s, schema.Scope{User: "bo"}, Query{Text: "How do I cook a risotto?"}).Results)
	for _, r := range search(t, s, Query{Text: "Norway in May"}).Results {
		if r.Memory.Role == "assistant" {
			require.NotContains(t, r.Explain(), "governs ")
		}
	}
}
