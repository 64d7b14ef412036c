package recall

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// planning is a searcher with a planner over db.
func planning(t *testing.T, db *schema.DB, plan planner.Func, scorer Scorer) *Searcher {
	t.Helper()
	s := New(db, Options{Planner: plan, Scorer: scorer})
	t.Cleanup(s.Close)
	return s
}

var household = []turn{
	{session: "a", role: "user", text: "The blue boat lies in the harbour of Bergen."},
	{session: "b", role: "user", text: "Karim plays the cello on Sundays."},
	{session: "c", role: "user", text: "The kettle and the bowl are in the kitchen."},
	{session: "d", role: "user", text: "On Sundays the market of Bergen is closed."},
	{session: "e", role: "user", text: "A boat race passes on the river."},
	{session: "f", role: "user", text: "In the kitchen everything is blue."},
}

func TestPlannedPartsAreFused(t *testing.T) {
	db := open(t)
	say(t, db, ada, household...)
	const question = "Where is the blue boat, and what does Karim play on Sundays?"
	plain := search(t, New(db, Options{}), Query{Text: question, Wait: true})
	require.Nil(t, plain.Planned)
	s := planning(t, db, planner.Cognitive, nil)
	answer := search(t, s, Query{Text: question, Wait: true, Limit: 2})
	require.Equal(t, []string{question, "Where is the blue boat", "what does Karim play on Sundays"}, answer.Planned.Queries)
	require.Empty(t, answer.Degraded)
	require.ElementsMatch(t, []string{household[0].text, household[1].text}, texts(answer)[:2], "each part brings its own answer")
	arms := make(map[string]int)
	for _, a := range slices.Concat(answer.Results[0].Arms, answer.Results[1].Arms) {
		arms[a.Arm] = max(arms[a.Arm], 1/a.Rank)
	}
	require.Equal(t, []int{1, 1}, []int{arms["part 1"], arms["part 2"]}, "the explanation names the parts, of each of which one is the first")
	for i, r := range answer.Results {
		require.Equal(t, i+1, r.Rank)
	}
	again := search(t, s, Query{Text: question, Wait: true, Limit: 2})
	require.Equal(t, texts(answer), texts(again))

	why, err := s.Why(t.Context(), ada, Query{Text: question, Now: noon, Limit: 2}, answer.Results[1].Memory.UID)
	require.NoError(t, err)
	require.Equal(t, Returned, why.Outcome)
	require.Equal(t, 2, why.Result.Rank)

	// Another user's parts find nothing of hers.
	others := searchAs(t, s, schema.Scope{User: "bob"}, Query{Text: question, Wait: true})
	require.Empty(t, others.Results)
}

func TestPlannerKeepsSimpleQuestions(t *testing.T) {
	db := open(t)
	say(t, db, ada, household...)
	for _, question := range []string{"Where is the blue boat?", "Karim", "kitchen bowl"} {
		plain := search(t, New(db, Options{}), Query{Text: question, Wait: true})
		answer := search(t, planning(t, db, planner.Cognitive, nil), Query{Text: question, Wait: true})
		require.Equal(t, plain.Results, answer.Results)
		require.Equal(t, plain.Relevance, answer.Relevance)
	}
}

func TestFailingPlanner(t *testing.T) {
	db := open(t)
	say(t, db, ada, household...)
	const question = "Where is the blue boat?"
	plain := search(t, New(db, Options{}), Query{Text: question, Wait: true})
	for name, c := range map[string]struct {
		plan     planner.Func
		degraded bool
	}{
		"panics":      {func(planner.Question) planner.Plan { panic("a secret") }, true},
		"nothing":     {func(planner.Question) planner.Plan { return planner.Plan{} }, false},
		"empty texts": {func(planner.Question) planner.Plan { return planner.Plan{Queries: []string{"", " "}} }, false},
		"too long a text": {func(planner.Question) planner.Plan {
			return planner.Plan{Queries: []string{strings.Repeat("boat ", 20_000)}}
		}, false},
		"not UTF-8": {func(planner.Question) planner.Plan { return planner.Plan{Queries: []string{"boat \xff"}} }, false},
		"absurd limits": {func(planner.Question) planner.Plan {
			return planner.Plan{Strategy: planner.Strategy{Limit: 1 << 40, Vector: math.NaN()}}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := search(t, planning(t, db, c.plan, nil), Query{Text: question, Wait: true})
			require.Equal(t, plain.Results, answer.Results)
			require.Equal(t, c.degraded, len(answer.Degraded) > 0)
			if c.degraded {
				require.Equal(t, "plan", answer.Degraded[0].Arm)
				require.NotContains(t, answer.Degraded[0].Reason, "a secret")
			}
		})
	}
	_, err := planning(t, db, planner.Cognitive, nil).Search(t.Context(), ada, Query{Text: strings.Repeat("x", maxQuery+1)})
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
}

func TestPlanLimit(t *testing.T) {
	db := open(t)
	for range 5 {
		say(t, db, ada, household...)
	}
	s := planning(t, db, func(planner.Question) planner.Plan { return planner.Plan{Strategy: planner.Strategy{Limit: 3}} }, nil)
	require.Len(t, search(t, s, Query{Text: "blue", Wait: true}).Results, 3)
	require.Len(t, search(t, s, Query{Text: "blue", Wait: true, Limit: 2}).Results, 2, "the caller's limit goes first")
}

func TestScorerGetsPlan(t *testing.T) {
	db := open(t)
	say(t, db, ada, household...)
	var seen []planner.Intent
	s := planning(t, db, planner.Cognitive, func(c Terms) []Signal {
		seen = append(seen, c.Plan.Intent)
		require.NotEmpty(t, c.Arms)
		return []Signal{{"relevance", c.Relevance, 1}}
	})
	search(t, s, Query{Text: "Who is Karim?", Wait: true})
	require.Contains(t, seen, planner.EntityProfile)
}

// failing embeds nothing but one text.
type failing struct {
	Embedder
	only string
}

func (f failing) EmbedQuery(ctx context.Context, g *vecstore.Generation, text string) (vecstore.Vector, error) {
	if text != f.only {
		return nil, errors.New("busy")
	}
	return f.Embedder.EmbedQuery(ctx, g, text)
}

func TestHypotheses(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	g := openGeneration(t, db, "m", 4)
	embedAll(t, db, g, synonyms)
	plan := func(planner.Question) planner.Plan { return planner.Plan{Hypotheses: []string{"kitten"}} }
	vectors := VectorOptions{Embedder: synonyms}
	s := New(db, Options{Planner: plan, Vectors: vectors})
	defer s.Close()
	q := Query{Text: "zebra"}
	require.NoError(t, s.complete(ada, &q))
	s.embed(t.Context(), ada, &q)
	plain, hypothesis := s.meaning(t.Context(), ada, &Query{Text: "zebra"}), s.meaning(t.Context(), ada, &Query{Text: "kitten"})
	mean := make(vecstore.Vector, len(plain.vector))
	for i := range mean {
		mean[i] = plain.vector[i] + hypothesis.vector[i]
	}
	mean, err := mean.Unit(0)
	require.NoError(t, err)
	require.InDeltaSlice(t, mean, q.meaning.vector, 1e-6)
	require.NotEqual(t, plain.vector, q.meaning.vector)

	// Hypotheses that cannot be embedded leave the question's vector as it is.
	s = New(db, Options{Planner: plan, Vectors: VectorOptions{Embedder: failing{synonyms, "zebra"}}})
	defer s.Close()
	require.NoError(t, s.complete(ada, &q))
	s.embed(t.Context(), ada, &q)
	require.Equal(t, plain.vector, q.meaning.vector)
}

func TestTextSearchDoesNotEmbed(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	s := New(db, Options{
		Planner: func(planner.Question) planner.Plan { panic("asked") },
		Vectors: VectorOptions{Embedder: failing{}},
	})
	defer s.Close()
	answer := search(t, s, Query{Text: "tabby", TextOnly: true, Wait: true})
	require.Empty(t, answer.Degraded)
	require.NotEmpty(t, answer.Results)
	require.NotEmpty(t, search(t, s, Query{Text: "tabby", Wait: true}).Degraded)
}
