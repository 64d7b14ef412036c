package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/evalset"
)

const evalFixture = "testdata/eval"

func TestEval(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	set, err := evalset.Load(evalFixture)
	require.NoError(t, err)

	runs := [2]string{filepath.Join(dir, "one.run"), filepath.Join(dir, "two.run")}
	var view evalView
	for _, file := range runs {
		o := ebb(t, "", "--json", "eval", evalFixture, "--run", file)
		require.Equal(t, exitOK, o.code, o.err)
		require.Empty(t, o.err, "no progress bar where nobody watches")
		require.NoError(t, json.Unmarshal([]byte(o.out), &view))
	}
	require.Equal(t, len(set.Queries), view.Questions)
	require.Equal(t, len(set.Queries), view.Total.Questions)
	turns := 0
	for _, c := range set.Conversations {
		turns += len(c.Turns)
	}
	require.Equal(t, turns, view.Turns)
	require.Greater(t, view.Total.Recall["10"], 0.4, "words of the questions stand in the turns")
	require.Positive(t, view.Total.Tokens["5"])

	one, err := os.ReadFile(runs[0])
	require.NoError(t, err)
	two, err := os.ReadFile(runs[1])
	require.NoError(t, err)
	require.Equal(t, string(one), string(two), "two runs write identical files")

	// The figures are those of the run file, computed anew from its text.
	rankings := map[string][]evalset.Ranked{}
	for l := range strings.Lines(string(one)) {
		fields := strings.Fields(l)
		require.Len(t, fields, 6)
		require.Equal(t, "Q0", fields[1])
		require.Equal(t, "ebb", fields[5])
		rankings[fields[0]] = append(rankings[fields[0]], evalset.Ranked{Turn: fields[2]})
	}
	var parts []evalset.Metrics
	for _, q := range set.Queries {
		require.LessOrEqual(t, len(rankings[q.ID]), 20)
		parts = append(parts, evalset.Score(rankings[q.ID], q.Evidence))
	}
	again := evalset.Mean(parts...)
	require.InDelta(t, view.Total.Recall["10"], again.Recall[1], 1e-12)
	require.InDelta(t, view.Total.MRR, again.MRR, 1e-12)
	require.InDelta(t, view.Total.NDCG, again.NDCG, 1e-12)

	left, err := filepath.Glob(filepath.Join(dir, "ebb-eval-*"))
	require.NoError(t, err)
	require.Empty(t, left, "the temporary memory is gone")
}

func TestEvalPrintsATable(t *testing.T) {
	o := ebb(t, "", "eval", evalFixture, "--diversity", "0.3", "--budget", "300")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "R@10")
	require.Contains(t, o.out, "nDCG@10")
	for _, name := range []string{"single-hop", "multi-hop", "temporal", "all"} {
		require.Contains(t, o.out, "\n"+name+" ")
	}
	var view evalView
	o = ebb(t, "", "--json", "eval", evalFixture, "--budget", "300")
	require.NoError(t, json.Unmarshal([]byte(o.out), &view))
	require.LessOrEqual(t, view.Total.Tokens["20"], 300., "the budget is kept")
}

func TestEvalSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{t.TempDir()}, "has no *.jsonl"},
		{[]string{"testdata/nowhere"}, "no such file"},
		{[]string{evalFixture, "--k", "5"}, "--k must be from 20 to 1000"},
		{[]string{evalFixture, "--diversity", "2"}, "--diversity must be from 0 to 1"},
		{[]string{evalFixture, "--budget=-1"}, "--budget must not be negative"},
	}
	for _, test := range tests {
		o := ebb(t, "", append([]string{"eval"}, test.args...)...)
		require.Equal(t, exitUsage, o.code, o.err)
		require.Contains(t, o.err, test.want)
	}
}
