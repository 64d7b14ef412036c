package evalset

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// answered are n questions, of which the first found found their only turn.
func answered(n, found int) []Answered {
	all := make([]Answered, n)
	for i := range all {
		all[i].Query = Query{ID: "q" + strconv.Itoa(i), Evidence: []string{"t"}}
		all[i].Ranking = []Ranked{{Turn: "other"}}
		if i < found {
			all[i].Ranking = []Ranked{{Turn: "t"}}
		}
	}
	return all
}

// written is a file with this content.
func written(t *testing.T, content string) string {
	path := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestEstimated(t *testing.T) {
	of := Estimated(answered(400, 100), nil)
	for _, e := range of {
		require.InDelta(t, 0.25, e.Mean, 1e-9)
		// ±1.96 standard errors of a share: √(.25 · .75 / 400).
		require.InDelta(t, 0.25-1.96*0.0217, e.Low, 0.006)
		require.InDelta(t, 0.25+1.96*0.0217, e.High, 0.006)
	}
	require.Equal(t, of, Estimated(answered(400, 100), nil))
	require.Equal(t, make([]Estimate, len(Cutoffs)), Estimated(nil, nil))
}

// Two runs that differ in one question differ by less than two that have nothing to do
// with each other: the questions that both found are no noise.
func TestEstimatedIsPaired(t *testing.T) {
	run := func(answers []Answered) map[string][]Ranked {
		var b bytes.Buffer
		require.NoError(t, WriteRun(&b, answers, 20, "test"))
		all, err := ReadRun(written(t, b.String()))
		require.NoError(t, err)
		return all
	}
	same := Estimated(answered(400, 100), run(answered(400, 100)))
	require.Equal(t, make([]Estimate, len(Cutoffs)), same)
	more := Estimated(answered(400, 110), run(answered(400, 100)))[1]
	require.InDelta(t, 0.025, more.Mean, 1e-9)
	require.InDelta(t, 0.025, more.High-more.Low, 0.012, "±1.96 · √(.025 · .975 / 400)")
	require.Positive(t, more.Low)
	none := Estimated(answered(4, 4), nil)[0]
	require.Equal(t, Estimate{Mean: 1, Low: 1, High: 1}, none)
}

func TestReadRun(t *testing.T) {
	run, err := ReadRun(written(t, "q Q0 b 3 0.5 x\nq Q0 a 1 0.7 x\n\nr Q0 c 1 1 x\n"))
	require.NoError(t, err)
	require.Equal(t, map[string][]Ranked{"q": {{Turn: "a"}, {}, {Turn: "b"}}, "r": {{Turn: "c"}}}, run)
	for _, broken := range []string{"q Q0 a 1 0.5\n", "q Q0 a first 0.5 x\n", "q Q0 a 0 0.5 x\n"} {
		_, err := ReadRun(written(t, broken))
		require.ErrorAs(t, err, new(*Error))
	}
}
