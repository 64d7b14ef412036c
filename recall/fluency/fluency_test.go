package fluency

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/topics"
)

// statements are what six people said of themselves in a year.
func statements(t testing.TB) (texts []string) {
	t.Helper()
	lives, err := filepath.Glob("../../cmd/ebb/testdata/lives/*.jsonl")
	require.NoError(t, err)
	for _, life := range lives {
		lines, err := os.ReadFile(life)
		require.NoError(t, err)
		for line := range bytes.Lines(lines) {
			var s struct {
				Text string   `json:"text"`
				Keys []string `json:"keys"`
			}
			require.NoError(t, json.Unmarshal(line, &s))
			if len(s.Keys) > 0 {
				texts = append(texts, s.Text)
			}
		}
	}
	return texts
}

func textsOf(said []string, cosine func(a, b int) float64) Texts {
	t := Texts{Census: new(topics.Census), Cosine: func(a, b int) (float64, bool) { return cosine(a, b), true }}
	for _, text := range said {
		of := topics.Of(text)
		t.Census.Add(of)
		t.Topics = append(t.Topics, of)
	}
	return t
}

func TestTrustIsEarnedByMeaning(t *testing.T) {
	said := statements(t)
	require.Greater(t, len(said), 300)
	means := textsOf(said, nil)
	random := rand.New(rand.NewPCG(1, 2))
	chance := func(_, _ int) float64 { return random.Float64() }
	means.Cosine = func(a, b int) (float64, bool) {
		return means.Census.Ask(means.Topics[a], 0).Near(means.Topics[b]) + random.Float64(), true
	}
	require.Equal(t, 1.0, trustIn(means), "one that understands")
	var sum float64
	for range 20 {
		sum += trustIn(textsOf(said, chance))
	}
	require.Less(t, sum/20, 0.2, "those that understand nothing")
	require.Zero(t, trustIn(textsOf(said, func(a, b int) float64 { return -means.Census.Ask(means.Topics[a], 0).Near(means.Topics[b]) })))
	require.Equal(t, 1.0, trustIn(textsOf(said[:8], chance)), "too few texts to judge by")
	unknown := means
	unknown.Cosine = func(_, _ int) (float64, bool) { return 0, false }
	require.Equal(t, 1.0, trustIn(unknown), "no text has a vector")
	require.Equal(t, 1.0, trustIn(Texts{Census: new(topics.Census)}))
}

func TestJudgeLooksAgainWhenThereIsTwiceAsMuch(t *testing.T) {
	said := statements(t)
	asked := 0
	texts := func() Texts {
		asked++
		return textsOf(said, func(_, _ int) float64 { return 0 })
	}
	var judge Judge
	for _, c := range []struct {
		generation int64
		vectors    int
		asked      int
	}{{1, 100, 1}, {1, 150, 1}, {1, 199, 1}, {1, 200, 2}, {1, 399, 2}, {2, 399, 3}, {2, 300, 3}, {2, 199, 4}, {2, 200, 4}} {
		require.Zero(t, judge.Trust(c.generation, c.vectors, texts))
		require.Equal(t, c.asked, asked)
	}
}

// A judgement made when most vectors were of messages does not stand until there are twice
// as many.
func TestJudgeLooksAgainOnceThereIsEnough(t *testing.T) {
	said := statements(t)
	var judge Judge
	trust := func(vectors, texts int) float64 {
		return judge.Trust(1, vectors, func() Texts { return textsOf(said[:texts], func(_, _ int) float64 { return 0 }) })
	}
	require.Equal(t, 1.0, trust(1000, 8), "too few texts to judge by")
	require.Equal(t, 1.0, trust(1100, len(said)), "not looked at again")
	require.Zero(t, trust(1300, len(said)))
	require.Zero(t, trust(1301, 8))
}

func trustIn(t Texts) float64 {
	trust, _ := judge(t)
	return trust
}
