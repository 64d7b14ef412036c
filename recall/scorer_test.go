package recall

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// rated stores a message with an importance.
func rated(t failer, db *schema.DB, text string, importance float64, ago time.Duration) {
	t.Helper()
	store(t, db, ada, "s", &schema.Memory{
		Kind: schema.KindEpisode, Role: "user", Content: text, EventTime: schema.At(noon.Add(-ago)), Confidence: 1,
		Importance: importance, Origin: schema.OriginUser, Trust: schema.MaxTrust, Attributes: schema.Attributes{"cycle": fmt.Sprint(10 * importance)},
	})
}

func TestScorerOrdersResults(t *testing.T) {
	db := open(t)
	rated(t, db, "The kettle is blue.", 0.1, 0)
	rated(t, db, "I painted the old kettle green again in the garden.", 0.9, 48*time.Hour)
	byRelevance := New(db, Options{})
	defer byRelevance.Close()
	plain := search(t, byRelevance, Query{Text: "What colour is the kettle?"})

	s := New(db, Options{Scorer: func(c Terms) []Signal {
		require.Empty(t, c.Memory.Content)
		return []Signal{
			{"relevance", c.Relevance, 0.1},
			{"age", c.Age().Hours() / 48, 0},
			{"cycle", float64(len(c.Memory.Attributes["cycle"])), 0},
			{"importance", c.Memory.Importance, 1},
		}
	}})
	defer s.Close()
	answer := search(t, s, Query{Text: "What colour is the kettle?"})
	require.Equal(t, []string{"I painted the old kettle green again in the garden.", "The kettle is blue."}, texts(answer))
	best := answer.Results[0]
	require.Equal(t, []Signal{{"relevance", 0, 0.1}, {"age", 1, 0}, {"cycle", 1, 0}, {"importance", 0.9, 1}}, best.Signals)
	require.InDelta(t, 0.9, best.Score, 1e-12)
	require.InDelta(t, 1, answer.Results[1].Signals[0].Value, 1e-12, "the most relevant is 1, the least 0")
	for i, r := range plain.Results {
		require.Nil(t, r.Parts)
		same := answer.Results[1-i]
		require.Equal(t, r.Memory.UID, same.Memory.UID)
		require.InDelta(t, r.Relevance, same.Relevance, 1e-9, "whether it bears on the question does not depend on the order")
		require.Len(t, same.Parts, len(r.Signals))
	}
	require.Contains(t, best.Explain(), "ranker: text")

	why, err := s.Why(t.Context(), ada, Query{Text: "What colour is the kettle?", Now: noon, Limit: 1}, answer.Results[1].Memory.UID)
	require.NoError(t, err)
	require.Equal(t, Outranked, why.Outcome)
	require.Equal(t, answer.Results[1].Signals, why.Result.Signals)
}

func TestScorerGetsMostRelevant(t *testing.T) {
	db := open(t)
	for i := range ScoreDepth {
		rated(t, db, fmt.Sprintf("The kettle sings, kettle %d.", i), 0.1, 0)
	}
	const faint = "Somebody bought many other things in town, with a great deal of talk about the weather, and a kettle."
	rated(t, db, faint, 1, 0)
	asked := 0
	s := New(db, Options{Scorer: func(c Terms) []Signal {
		asked++
		return []Signal{{"importance", c.Memory.Importance, 1}}
	}})
	defer s.Close()
	// The text arm hands on no more; a time that the question names does.
	answer := search(t, s, Query{Text: "kettle today", Limit: 1})
	require.Equal(t, ScoreDepth, asked)
	require.Equal(t, ScoreDepth+1, answer.Considered)
	require.NotEqual(t, faint, answer.Results[0].Memory.Content)
}

func TestScorerGetsCosine(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	compared := 0
	s := New(db, Options{Vectors: VectorOptions{Embedder: synonyms}, Scorer: func(c Terms) []Signal {
		if c.Compared {
			compared++
		}
		return []Signal{{"cosine", c.Cosine, 1}}
	}})
	defer s.Close()
	answer := search(t, s, Query{Text: "kitten", Wait: true})
	best := answer.Results[0]
	require.Positive(t, compared)
	require.Equal(t, "The tabby sleeps all day.", best.Memory.Content)
	require.InDelta(t, 1, best.Score, 1e-3, "it lies in the direction of the question")
}

func TestFailingScorerIsAnError(t *testing.T) {
	db := open(t)
	rated(t, db, "The kettle is blue.", 0.1, 0)
	for name, scorer := range map[string]Scorer{
		"not a number": func(Terms) []Signal { return []Signal{{"x", math.NaN(), 1}} },
		"infinite":     func(Terms) []Signal { return []Signal{{"x", math.Inf(1), 1}} },
		"panic":        func(Terms) []Signal { panic("kettle") },
	} {
		t.Run(name, func(t *testing.T) {
			s := New(db, Options{Scorer: scorer})
			defer s.Close()
			_, err := s.Search(t.Context(), ada, Query{Text: "kettle"})
			require.ErrorContains(t, err, "score")
			require.NotContains(t, err.Error(), "kettle")
		})
	}
}

func TestRetentionPolicy(t *testing.T) {
	m := &schema.Memory{DecayRate: 0.1, Stability: 3, CreatedAt: schema.At(noon.AddDate(0, 0, -3))}
	require.InDelta(t, retention.Default(m, noon), retention.Policy(nil).Of(m, noon), 0)
	// FSRS-6: 0.9 is left after as many days as the stability.
	power := retention.Policy(func(m *schema.Memory, now time.Time) float64 {
		return math.Pow(1+19.0/81*now.Sub(m.CreatedAt.Time).Hours()/24/m.Stability, -0.5)
	})
	require.InDelta(t, 0.9, power.Of(m, noon), 1e-12)
	for given, want := range map[float64]float64{-1: 0, 2: 1, 0.5: 0.5} {
		require.InDelta(t, want, retention.Policy(func(*schema.Memory, time.Time) float64 { return given }).Of(m, noon), 0)
	}
	require.Zero(t, retention.Policy(func(*schema.Memory, time.Time) float64 { return math.NaN() }).Of(m, noon))

	db := open(t)
	store(t, db, ada, "s", &schema.Memory{
		Kind: schema.KindFact, Content: "The kettle is blue", EventTime: schema.At(noon), Confidence: 1, DecayRate: 0.1,
		Origin: schema.OriginUser, Trust: schema.MaxTrust,
	})
	s := New(db, Options{Retention: func(*schema.Memory, time.Time) float64 { return 0.25 }})
	defer s.Close()
	for _, signal := range search(t, s, Query{Text: "kettle"}).Results[0].Signals {
		if signal.Name == "retention" {
			require.InDelta(t, 0.25-1, signal.Value, 1e-12)
		}
	}
}

// A scorer that chooses from as many as are wanted gives the most relevant, in
// its own order; what a host leaves out is made up for by the next.
func TestCandidateFactor(t *testing.T) {
	db := open(t)
	for i := range 6 {
		rated(t, db, "The kettle is "+strings.Repeat("very ", 4*i)+"blue.", float64(i+1)/10, 0)
	}
	byRelevance := New(db, Options{})
	defer byRelevance.Close()
	best := texts(search(t, byRelevance, Query{Text: "blue kettle", Limit: 4}))
	s := New(db, Options{CandidateFactor: 1, Scorer: func(c Terms) []Signal { return []Signal{{"importance", c.Memory.Importance, 1}} }})
	defer s.Close()
	ordered := texts(search(t, s, Query{Text: "blue kettle", Limit: 4}))
	require.ElementsMatch(t, best, ordered)
	require.NotEqual(t, best, ordered)
	require.Greater(t, len(ordered[0]), len(ordered[3]), "the important come first")
	skipping := Query{Text: "blue kettle", Limit: 4, Skip: func(m *schema.Memory) bool { return m.Content == best[0] }}
	require.Len(t, search(t, s, skipping).Results, 4)
}

// Which of equally relevant ones are given is the scorer's to say, too: the ranker
// prefers the older.
func TestScorerBreaksTies(t *testing.T) {
	db := open(t)
	for i := range 8 {
		store(t, db, ada, fmt.Sprint("s", i), &schema.Memory{
			Kind: schema.KindEpisode, Role: "user", Content: "Routine check passed.", EventTime: schema.At(noon), Confidence: 1,
			Importance: float64(i+1) / 10, Origin: schema.OriginUser, Trust: schema.MaxTrust,
		})
	}
	s := New(db, Options{CandidateFactor: 1, Scorer: func(c Terms) []Signal { return []Signal{{"importance", c.Memory.Importance, 1}} }})
	defer s.Close()
	var given []float64
	for _, r := range search(t, s, Query{Text: "routine check", Limit: 3}).Results {
		given = append(given, r.Memory.Importance)
	}
	require.Equal(t, []float64{.8, .7, .6}, given)
}
