package recall

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

func TestInverseDocumentFrequency(t *testing.T) {
	require.InDelta(t, math.Log(1+10.5/0.5), inverseDocumentFrequency(10, 0), 1e-12)
	require.InDelta(t, math.Log(1+0.5/10.5), inverseDocumentFrequency(10, 10), 1e-12)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1e6).Draw(t, "n")
		df := rapid.IntRange(0, n-1).Draw(t, "df")
		require.Greater(t, inverseDocumentFrequency(n, df), inverseDocumentFrequency(n, df+1))
		require.Positive(t, inverseDocumentFrequency(n, n))
	})
}

func TestTermWeight(t *testing.T) {
	require.InDelta(t, 1, termWeight(1, 10, 10), 1e-6, "once in a text of mean length")
	rapid.Check(t, func(t *rapid.T) {
		tf := rapid.Float32Range(1, 200).Draw(t, "tf")
		length := rapid.Float32Range(tf, 1000).Draw(t, "length")
		w := termWeight(tf, length, 20)
		require.True(t, w > 0 && w < bm25K1+1)
		require.Greater(t, termWeight(tf+1, length, 20), w, "more often is more")
		require.Less(t, termWeight(tf, length+1, 20), w, "among more words is less")
	})
}

func TestUnion(t *testing.T) {
	require.Empty(t, union(nil))
	got := union([]ranking{
		{"text", []Candidate{{MemoryID: 1, Score: 9, place: 4}, {MemoryID: 2, Score: 8}}},
		{"vector", []Candidate{{MemoryID: 2, Score: 7, place: 6}, {MemoryID: 3, Score: 6}}},
	})
	require.Equal(t, []proposal{
		{1, 4, []ArmRank{{"text", 1, 9}}},
		{2, 6, []ArmRank{{"text", 2, 8}, {"vector", 1, 7}}},
		{3, 0, []ArmRank{{"vector", 2, 6}}},
	}, got)
}

func results(texts ...string) (all []Result) {
	for i, s := range texts {
		all = append(all, Result{Memory: schema.Memory{Content: s}, Score: 1 - float64(i)/10})
	}
	return all
}

func contents(all []Result) (texts []string) {
	for _, r := range all {
		texts = append(texts, r.Memory.Content)
	}
	return texts
}

func TestDiversify(t *testing.T) {
	same := []string{"green kettle", "green kettle!", "red bicycle"}
	require.Equal(t, same, contents(diversify(results(same...), 0)), "off")
	require.Equal(t, []string{"green kettle", "red bicycle", "green kettle!"}, contents(diversify(results(same...), 0.5)))
	require.Equal(t, same[:2], contents(diversify(results(same[:2]...), 1)), "two are left alone")
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(someQuestion, 0, 12).Draw(t, "texts")
		got := contents(diversify(results(said...), rapid.Float64Range(0, 1).Draw(t, "λ")))
		require.ElementsMatch(t, said, got, "nothing is lost")
		if len(said) > 0 {
			require.Equal(t, said[0], got[0], "the best stays first")
		}
	})
}

func TestWithinBudget(t *testing.T) {
	short, long := "a kettle", strings.Repeat("a long story ", 50)
	require.Equal(t, []string{short, long}, contents(withinBudget(results(short, long), 0)), "no bound")
	require.Equal(t, []string{short, short}, contents(withinBudget(results(short, long, short), 10)), "smaller ones still enter")
	require.Empty(t, withinBudget(results(long), 1))
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(1, 60).Draw(t, "budget")
		sum := 0
		for _, s := range contents(withinBudget(results(rapid.SliceOfN(someQuestion, 0, 12).Draw(t, "texts")...), budget)) {
			sum += text.Tokens(s)
		}
		require.LessOrEqual(t, sum, budget)
	})
}

func TestRankIsTheSumOfItsSignals(t *testing.T) {
	candidates := []scored{
		{proposal: proposal{memoryID: 3}, signals: signals{Text: 0.5}},
		{proposal: proposal{memoryID: 2}, signals: signals{Text: 1, Speaker: -1}},
		{proposal: proposal{memoryID: 1}, signals: signals{Text: 0.5}},
	}
	rank(candidates, Weights{Text: 2, Speaker: 1.5})
	order := []int64{candidates[0].memoryID, candidates[1].memoryID, candidates[2].memoryID}
	require.Equal(t, []int64{1, 3, 2}, order, "ties go to the older")
	require.InDelta(t, 0.5, candidates[2].score, 1e-12)
	rapid.Check(t, func(t *rapid.T) {
		s := signals{Text: rapid.Float64Range(0, 1).Draw(t, "text"), Time: rapid.Float64Range(0, 1).Draw(t, "time")}
		one := []scored{{signals: s}}
		rank(one, DefaultWeights())
		sum := 0.0
		for _, part := range s.weighed(nil, new(DefaultWeights())) {
			sum += part.Contribution()
		}
		require.InDelta(t, sum, one[0].score, 1e-12)
	})
}

// Every field of Weights has its signal: a weight nothing reads is a lie.
func TestEveryWeightIsListed(t *testing.T) {
	w := DefaultWeights()
	s := signals(w)
	all := s.weighed(nil, &w)
	for i, s := range all {
		require.InDelta(t, s.Weight, s.Value, 0, "signal %d, %s, takes another's weight", i, s.Name)
	}
	require.Len(t, all, fieldsOf(w))
}

func TestNearness(t *testing.T) {
	day := int64(24 * 3600e3)
	q := &question{spans: []span{{10 * day, 12 * day}}}
	for at, want := range map[int64]float64{10 * day: 1, 11 * day: 1, 12 * day: 1, 0: math.Exp(-1), 22 * day: math.Exp(-1)} {
		require.InDelta(t, want, q.nearness(at), 1e-9)
	}
	require.Zero(t, (&question{}).nearness(5))
	require.True(t, q.within(10*day))
	require.False(t, q.within(12*day))
}

func TestAnswerKind(t *testing.T) {
	for asked, want := range map[string]kindOfAnswer{
		"When did it rain?":    asksWhen,
		"Who came?":            asksWho,
		"How many were there?": asksNumber,
		"Where is it?":         asksName,
		"Did she like it?":     0,
		"他是什么时候来的？":            asksWhen,
	} {
		require.Equal(t, want, answerKind(text.Terms(asked)), asked)
	}
}

func TestDivideLeavesSpeakersOut(t *testing.T) {
	db := open(t)
	say(t, db, ada, turn{speaker: "Ada", text: "the garden"}, turn{speaker: "Bo", text: "Ada, the kettle"})
	ix := readIndex(t, db, ada)
	parts := func(asked string) (n int) { return len(ix.understand(asked, noon).parts) }
	require.Equal(t, 2, parts("Ada's green garden?"))
	require.Equal(t, 1, parts("Ada?"), "a name alone is what is asked for")
	q := ix.understand("what kind of garden", noon)
	require.Less(t, q.parts[0].idf, inverseDocumentFrequency32(2, 0), "kind only frames")
	q = ix.understand("what kind", noon)
	require.InDelta(t, inverseDocumentFrequency32(2, 0), q.parts[0].idf, 1e-6, "unless it is all there is")
	require.True(t, slices.Equal([]span{{noon.AddDate(0, 0, -1).Truncate(24 * time.Hour).UnixMilli(), noon.Truncate(24 * time.Hour).UnixMilli()}},
		ix.understand("what about yesterday", noon).spans))
}

func inverseDocumentFrequency32(n, df int) float32 { return float32(inverseDocumentFrequency(n, df)) }

func TestBestKeepsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 3, armDepth, 4*armDepth + 1, 5 * armDepth}).Draw(t, "n")
		values := rapid.Uint64().Draw(t, "seed")
		all := make([]Candidate, n)
		for i := range all {
			values = values*6364136223846793005 + 1442695040888963407
			all[i] = Candidate{MemoryID: int64(i + 1), Score: float64(values >> 56)}
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b Candidate) int { return int(b.Score - a.Score) })
		require.Equal(t, want[:min(n, armDepth)], best(all))
	})
}
