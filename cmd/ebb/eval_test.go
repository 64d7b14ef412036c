package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/racing"
)

const (
	evalFixture = "testdata/eval"
	evalFacts   = evalFixture + "/observations.jsonl"
)

// The parts of a compound question are both found, sooner than by the whole question.
func TestCompoundQuestions(t *testing.T) {
	recall := make(map[string]map[string]float64)
	for _, profile := range []string{"simple", "cognitive"} {
		var view evalView
		o := ebb(t, "", "--json", "--profile", profile, "eval", "testdata/compound")
		require.Equal(t, exitOK, o.code, o.err)
		require.NoError(t, json.Unmarshal([]byte(o.out), &view))
		require.Equal(t, 40, view.Questions)
		recall[profile] = view.Total.Recall
	}
	require.Greater(t, recall["cognitive"]["5"], recall["simple"]["5"])
	require.GreaterOrEqual(t, recall["cognitive"]["10"], recall["simple"]["10"])
}

func TestEval(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	set, err := evalset.Load(evalFixture)
	require.NoError(t, err)

	runs := [2]string{filepath.Join(dir, "one.run"), filepath.Join(dir, "two.run")}
	var view evalView
	for i, file := range runs {
		args := []string{"--json", "eval", evalFixture, "--run", file}
		if i > 0 {
			args = append(args, "--against", runs[0])
		}
		o := ebb(t, "", args...)
		require.Equal(t, exitOK, o.code, o.err)
		require.Empty(t, o.err, "no progress bar where nobody watches")
		require.NoError(t, json.Unmarshal([]byte(o.out), &view))
	}
	require.Equal(t, len(set.Queries), view.Questions)
	require.Equal(t, len(set.Queries), view.Total.Questions)
	require.InDelta(t, view.Total.Recall["10"], view.Recall[1].Mean, 1e-9)
	require.Less(t, view.Recall[1].Low, view.Recall[1].Mean)
	require.Equal(t, make([]evalset.Estimate, len(evalset.Cutoffs)), view.Against, "a run does not differ from itself")
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

	// The figures are recomputed from the text of the run file.
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
	racing.Alone(t)
	o := ebb(t, "", "eval", evalFixture, "--diversity", "0.3", "--budget", "300")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "R@10")
	require.Contains(t, o.out, "nDCG@10")
	require.Regexp(t, `95 % interval +\d+\.\d to \d+\.\d`, o.out)
	for _, name := range []string{"single-hop", "multi-hop", "temporal", "all"} {
		require.Contains(t, o.out, "\n"+name+" ")
	}
	var view evalView
	o = ebb(t, "", "--json", "eval", evalFixture, "--budget", "300")
	require.NoError(t, json.Unmarshal([]byte(o.out), &view))
	require.LessOrEqual(t, view.Total.Tokens["20"], 300., "the budget is kept")

	o = ebb(t, "", "eval", "testdata/eval-zh")
	require.Equal(t, exitOK, o.code, o.err)
	require.Contains(t, o.out, "297 turns")
}

// Facts that rest on some turns bring more of the evidence up.
func TestEvalWithFacts(t *testing.T) {
	racing.Alone(t)
	recall := func(args ...string) (v evalView) {
		t.Helper()
		o := ebb(t, "", append([]string{"--json", "eval", evalFixture}, args...)...)
		require.Equal(t, exitOK, o.code, o.err)
		require.NoError(t, json.Unmarshal([]byte(o.out), &v))
		return v
	}
	without, with := recall(), recall("--facts", evalFacts)
	require.Zero(t, without.Facts)
	require.Equal(t, 15, with.Facts)
	for _, k := range []string{"5", "10", "20"} {
		require.Greater(t, with.Total.Recall[k], without.Total.Recall[k], "R@%s", k)
	}

	o := ebb(t, "", "eval", evalFixture, "--facts", evalFacts)
	require.Contains(t, o.out, "243 turns, 15 facts, 71 questions")
}

func TestEvalErrors(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{t.TempDir()}, "has no *.jsonl"},
		{[]string{"testdata/nowhere"}, "no such file"},
		{[]string{evalFixture, "--facts", "testdata/nowhere"}, "no such file"},
		{[]string{evalFixture, "--facts", evalFixture + "/queries.jsonl"}, "queries.jsonl:1: text is empty"},
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

// TestEvalCountsDerivedMemoriesForTheirTurns asks a memory in which an insight
// rests on a fact, and the fact on two messages.
func TestEvalCountsDerivedMemoriesForTheirTurns(t *testing.T) {
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &extension.Config{NoBackground: true})
	require.NoError(t, err)
	defer x.Close(t.Context())
	event := func(id, text string) string {
		return `{"event":{"id":"` + id + `","topic":"user.message","origin":"user_direct","trust":4,"payload":{"text":"` + text + `"},"occurred_at":"2026-01-02T00:00:00Z","recorded_at":"2026-01-02T00:00:00Z"}}`
	}
	memory := func(id, kind, content, event string) string {
		return `{"memory":{"id":"` + id + `","kind":"` + kind + `","content":"` + content + `","event_time":"2026-01-02T00:00:00Z","created_at":"2026-01-02T00:00:00Z","valid_from":"2026-01-02T00:00:00Z","confidence":1,"importance":0.5,"access_count":0,"decay_rate":0,"stability":1,"utility":0.5,"state":"active","origin":"user_direct","trust":4,"version":1,"event_id":"` + event + `"}}`
	}
	source := func(memory, of string) string { return `{"source":{"memory":"` + memory + `","source":"` + of + `"}}` }
	_, err = x.Import(t.Context(), strings.NewReader(strings.Join([]string{
		`{"ebb":{"export":1,"user":"ada","created_at":"2026-01-02T00:00:00Z"}}`,
		event("t1", "I sing."), event("t2", "Every Monday."), event("t3", "With Bo."),
		memory("m1", "episode", "I sing.", "t1"), memory("m2", "episode", "Every Monday.", "t2"), memory("m3", "episode", "With Bo.", "t3"),
		memory("f1", "fact", "Ada sings every Monday.", ""), memory("r1", "reflection", "Choirs matter greatly here.", ""),
		source("f1", "m2"), source("f1", "m1"), source("r1", "f1"), source("r1", "m3"),
		`{"end":{"records":12}}`,
	}, "\n")), transfer.ImportOptions{Restore: true})
	require.NoError(t, err)

	m := &measurement{cmd: &evalCmd{K: 20}, app: newApp(t.Context(), nil, nil, nil), x: x}
	ranking, err := m.ask(evalset.Query{Conversation: "ada", Question: "do choirs matter greatly"})
	require.NoError(t, err)
	var turns []string
	for _, r := range ranking {
		turns = append(turns, r.Turn)
	}
	require.Equal(t, []string{"t3", "t1", "t2"}, turns, "sources of one moment in the order they were stored: message, then fact")
	require.IsDecreasing(t, []int{ranking[0].Tokens, ranking[1].Tokens}, "the second turn of a result costs nothing more")
}
