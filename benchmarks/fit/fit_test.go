package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// loss is the one in doc.go, written down again.
func loss(d *data, free []int, scale, w []float64) (sum float64) {
	questions := map[string]float64{}
	for _, e := range d.examples {
		questions[e.set]++
	}
	for _, e := range d.examples {
		scores := make([]float64, len(e.rows))
		wrong := 0.0
		for r, row := range e.rows {
			for k, j := range free {
				scores[r] += w[k] * row[j] / scale[j]
			}
			if !e.right[r] {
				wrong += math.Exp(scores[r])
			}
		}
		for r, s := range scores {
			if e.right[r] {
				sum += (math.Log(math.Exp(s)+wrong) - s) / questions[e.set] / float64(len(d.sets())) / float64(e.evidence)
			}
		}
	}
	for _, v := range w {
		sum += ridge * v * v / 2
	}
	return sum
}

var someData = rapid.Custom(func(t *rapid.T) *data {
	d := &data{signals: []string{"text", "noise"}, defaults: []float64{1, 0}}
	for range rapid.IntRange(1, 5).Draw(t, "questions") {
		e := example{set: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "set")}
		for range rapid.IntRange(1, 6).Draw(t, "rows") {
			e.rows = append(e.rows, []float64{rapid.Float64Range(0, 1).Draw(t, "text"), rapid.Float64Range(-1, 1).Draw(t, "noise")})
			e.right = append(e.right, rapid.Bool().Draw(t, "right"))
		}
		e.evidence = rapid.IntRange(1, 3).Draw(t, "evidence")
		d.examples = append(d.examples, e)
	}
	return d
})

func TestGradientIsThatOfTheLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := someData.Draw(t, "data")
		free, scale := []int{0, 1}, []float64{0.5, 2}
		w := []float64{rapid.Float64Range(-2, 2).Draw(t, "w0"), rapid.Float64Range(-2, 2).Draw(t, "w1")}
		got := gradient(d, free, scale, w)
		const h = 1e-5
		for k := range w {
			up, down := []float64{w[0], w[1]}, []float64{w[0], w[1]}
			up[k] += h
			down[k] -= h
			want := (loss(d, free, scale, up) - loss(d, free, scale, down)) / (2 * h)
			require.InDelta(t, want, got[k], 1e-6)
		}
	})
}

// In three questions the second signal tells right from wrong and the first
// does not; the third never varies and keeps its weight.
func separable() *data {
	d := &data{signals: []string{"text", "telling", "constant"}, defaults: []float64{1, 0, 0.7}}
	for _, set := range []string{"a", "a", "b"} {
		d.examples = append(d.examples, example{
			set: set, conversation: set + "/1", evidence: 1,
			rows:  [][]float64{{1, 0, 1}, {0.9, 1, 1}, {0.8, 0, 1}},
			right: []bool{false, true, false},
		})
	}
	return d
}

func TestFit(t *testing.T) {
	d := separable()
	w := fitRanker(d)
	require.Positive(t, w[1])
	require.InDelta(t, 0.7, w[2], 0)
	require.InDelta(t, 1, evaluate(d, w)["a"].MRR, 1e-12)
	require.InDelta(t, 0.5, evaluate(d, d.defaults)["a"].MRR, 1e-12)
	require.Equal(t, w, fitRanker(separable()), "the same on every run")

	without := fitRanker(d, "telling")
	require.Zero(t, without[1])
	require.Less(t, evaluate(d, without)["b"].MRR, 1.0)
}

func TestEvidenceNotFoundCounts(t *testing.T) {
	d := separable()
	d.examples[0].evidence = 2
	m := score(&d.examples[0], []float64{0, 1, 0})
	require.InDelta(t, 0.5, m.Recall[0], 1e-12)
}

func TestLeaveOutMeasuresEveryExampleOnce(t *testing.T) {
	d := separable()
	got := leaveOut(d, d.sets(), func(e *example) string { return e.set })
	require.Equal(t, 2, got["a"].N)
	require.Equal(t, 1, got["b"].N)
	require.InDelta(t, 100, goal(got), 1e-9)
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.ErrorContains(t, run(t.Context(), &out, []string{"ranker"}), "no set given")
	if testing.Short() {
		t.Skip("imports a set")
	}
	require.NoError(t, run(t.Context(), &out, []string{"ranker", "../../cmd/ebb/testdata/eval"}))
	require.Contains(t, out.String(), "conversation left out")
}

func TestDump(t *testing.T) {
	if testing.Short() {
		t.Skip("imports a set")
	}
	path := filepath.Join(t.TempDir(), "observations.jsonl")
	require.NoError(t, run(t.Context(), new(bytes.Buffer), []string{"ranker", "-dump", path, "-encoder", "../../encoder/testdata/static", "../../cmd/ebb/testdata/eval"}))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := json.NewDecoder(bytes.NewReader(raw))
	var head struct{ Signals []string }
	require.NoError(t, lines.Decode(&head))
	var compared bool
	for questions := 0; ; questions++ {
		var q struct {
			Turns  []string
			Right  []bool
			Scores []float64
			Rows   [][]float64
			Arms   []map[string][2]float64
		}
		if err = lines.Decode(&q); errors.Is(err, io.EOF) {
			require.Equal(t, 71, questions)
			break
		}
		require.NoError(t, err)
		require.Len(t, q.Right, len(q.Turns))
		require.Len(t, q.Scores, len(q.Turns))
		require.Len(t, q.Arms, len(q.Turns))
		require.Len(t, q.Rows, len(q.Turns))
		for i, row := range q.Rows {
			require.Len(t, row, len(head.Signals))
			_, found := q.Arms[i]["vector"]
			compared = compared || found
		}
	}
	require.True(t, compared, "the vector arm found something")
}
