package evalset

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	turnLine  = `{"id":"a:1","session":"s","time":"2026-01-02T03:04:05Z","speaker":"Ada","role":"user","text":"The kettle is blue."}`
	queryLine = `{"conversation":"one","id":"q1","time":"2026-02-01T00:00:00Z","category":"single","question":"Which colour?","answer":"Blue","evidence":["a:1"]}`
)

func writeSet(t *testing.T, conversation, queries string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "conversations"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "conversations", "one.jsonl"), []byte(conversation), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(queries), 0o644))
	return dir
}

func TestLoad(t *testing.T) {
	set, err := Load(writeSet(t, turnLine+"\n\n", queryLine))
	require.NoError(t, err)
	require.Len(t, set.Conversations, 1)
	require.Equal(t, "one", set.Conversations[0].Name)
	require.Equal(t, "a:1", set.Conversations[0].Turns[0].ID)
	require.Equal(t, []string{"a:1"}, set.Queries[0].Evidence)
}

func TestLoadTheFixture(t *testing.T) {
	for _, name := range []string{"eval", "eval-zh"} {
		set, err := Load("../../cmd/ebb/testdata/" + name)
		require.NoError(t, err)
		require.NotEmpty(t, set.Queries)
	}
}

func TestLoadErrors(t *testing.T) {
	other := strings.Replace(turnLine, "a:1", "a:2", 1)
	tests := []struct {
		name                        string
		conversation, queries, want string
	}{
		{"broken JSON", "{", queryLine, "one.jsonl:1: is not the JSON object"},
		{"time that is none", strings.Replace(turnLine, "2026-01-02T03:04:05Z", "yesterday", 1), queryLine, "one.jsonl:1: is not the JSON object"},
		{"no time", strings.Replace(turnLine, `"time"`, `"when"`, 1), queryLine, "one.jsonl:1: time is missing"},
		{"no id", strings.Replace(turnLine, `"id"`, `"x"`, 1), queryLine, "one.jsonl:1: id is missing"},
		{"id twice", turnLine + "\n" + turnLine, queryLine, `one.jsonl:2: id "a:1" is used twice`},
		{"id with a space", strings.Replace(turnLine, "a:1", "a 1", 1), queryLine, "one.jsonl:1: id holds white space"},
		{"no text", strings.Replace(turnLine, "The kettle is blue.", " ", 1), queryLine, "one.jsonl:1: text is empty"},
		{"no turns", "\n", queryLine, "one.jsonl: holds no turns"},
		{"no questions", turnLine, "", "queries.jsonl: holds no questions"},
		{"unknown conversation", turnLine, strings.Replace(queryLine, `"one"`, `"two"`, 1), `queries.jsonl:1: conversation "two" has no file`},
		{"unknown evidence", other, queryLine, `queries.jsonl:1: evidence names "a:1", which is no turn of one`},
		{"no evidence", turnLine, strings.Replace(queryLine, `["a:1"]`, `[]`, 1), "queries.jsonl:1: evidence is empty"},
		{"evidence twice", turnLine, strings.Replace(queryLine, `["a:1"]`, `["a:1","a:1"]`, 1), `queries.jsonl:1: evidence names "a:1" twice`},
		{"question twice", turnLine, queryLine + "\n" + queryLine, `queries.jsonl:2: id "q1" is used twice`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(writeSet(t, test.conversation, test.queries))
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.ErrorContains(t, err, test.want)
		})
	}
}

const factLine = `{"conversation":"one","id":"f1","session":"s","speaker":"Ada","text":"Ada's kettle is blue.","sources":["a:1"]}`

func TestLoadFacts(t *testing.T) {
	set, err := Load(writeSet(t, turnLine, queryLine))
	require.NoError(t, err)
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "facts.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	facts, err := set.LoadFacts(write(factLine + "\n"))
	require.NoError(t, err)
	require.Equal(t, []Fact{{Conversation: "one", ID: "f1", Session: "s", Speaker: "Ada", Text: "Ada's kettle is blue.", Sources: []string{"a:1"}}}, facts)
	_, err = set.LoadFacts(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)

	change := func(from, to string) string { return strings.Replace(factLine, from, to, 1) }
	for content, want := range map[string]string{
		"[]":                                "facts.jsonl:1: is not the JSON object",
		"\n":                                "holds no facts",
		change(`"f1"`, `""`):                "facts.jsonl:1: id is missing",
		factLine + "\n" + factLine:          `facts.jsonl:2: id "f1" is used twice`,
		change(`"one"`, `"two"`):            `conversation "two" has no file`,
		change("Ada's kettle is blue.", ""): "text is empty",
		change(`"a:1"`, ""):                 "sources is empty",
		change("a:1", "a:2"):                `sources names "a:2", which is no turn of one`,
		change(`"a:1"`, `"a:1","a:1"`):      `sources names "a:1" twice`,
	} {
		_, err := set.LoadFacts(write(content))
		var fault *Error
		require.ErrorAs(t, err, &fault, content)
		require.ErrorContains(t, err, want)
	}
}

func TestLoadForeignFolder(t *testing.T) {
	_, err := Load(t.TempDir())
	require.ErrorContains(t, err, "has no *.jsonl")
	_, err = Load(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)

	dir := writeSet(t, turnLine, queryLine)
	_, err = Load(filepath.Join(dir, "queries.jsonl"))
	require.ErrorContains(t, err, "is not a folder")
	require.NoError(t, os.Remove(filepath.Join(dir, "queries.jsonl")))
	_, err = Load(dir)
	require.ErrorContains(t, err, "queries.jsonl: does not exist")
}

func TestRankCountsTheFirstOccurrence(t *testing.T) {
	got := Rank([]Found{
		{Turns: []string{"b"}, Text: "four", Score: 3},          // 1 token
		{Turns: []string{"a", "b"}, Text: "eight ab", Score: 2}, // 2
		{Turns: []string{"b"}, Text: "four", Score: 1},          // nothing new
		{Turns: nil, Text: "four"},                              // from no turn
		{Turns: []string{"c", "d"}, Text: "four", Score: 0.5},
	})
	require.Equal(t, []Ranked{
		{Turn: "b", Score: 3, Tokens: 1}, {Turn: "a", Score: 2, Tokens: 2},
		{Turn: "c", Score: 0.5, Tokens: 3}, {Turn: "d", Score: 0.5},
	}, got)
}

func ranking(turns ...string) []Ranked {
	all := make([]Ranked, len(turns))
	for i, turn := range turns {
		all[i] = Ranked{Turn: turn, Tokens: 10}
	}
	return all
}

func TestScore(t *testing.T) {
	// Evidence at ranks 2 and 7 of twelve, a third turn not found.
	m := Score(ranking("x1", "e1", "x2", "x3", "x4", "x5", "e2", "x6", "x7", "x8", "x9", "x10"), []string{"e1", "e2", "e3"})
	require.InDeltaSlice(t, []float64{1. / 3, 2. / 3, 2. / 3}, m.Recall[:], 1e-12)
	require.Equal(t, [...]float64{1, 1, 1}, m.Hit)
	require.Equal(t, [...]float64{0, 0, 0}, m.All)
	require.Equal(t, [...]float64{50, 100, 120}, m.Tokens)
	require.InDelta(t, 0.5, m.MRR, 1e-12)
	best := 1 + 1/math.Log2(3) + 1/math.Log2(4)
	require.InDelta(t, (1/math.Log2(3)+1/math.Log2(8))/best, m.NDCG, 1e-12)

	require.Equal(t, Metrics{N: 1}, Score(nil, []string{"e"}))
	full := Score(ranking("e1", "e2"), []string{"e2", "e1"})
	require.Equal(t, [...]float64{1, 1, 1}, full.All)
	require.InDelta(t, 1, full.NDCG, 1e-12)
}

func TestScoreProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 1, 40, rapid.ID).Draw(t, "ids")
		evidence := ids[:rapid.IntRange(1, len(ids)).Draw(t, "evidence")]
		order := rapid.Permutation(ids).Draw(t, "order")
		order = order[:rapid.IntRange(0, len(order)).Draw(t, "depth")]
		m := Score(ranking(order...), evidence)
		for i := range Cutoffs {
			for _, v := range []float64{m.Recall[i], m.Hit[i], m.All[i], m.MRR, m.NDCG} {
				require.True(t, v >= 0 && v <= 1+1e-12, "%v lies outside 0–1", v)
			}
			require.GreaterOrEqual(t, m.Hit[i], m.Recall[i])
			require.GreaterOrEqual(t, m.Recall[i], m.All[i])
			if i > 0 {
				require.GreaterOrEqual(t, m.Recall[i], m.Recall[i-1])
				require.GreaterOrEqual(t, m.Tokens[i], m.Tokens[i-1])
			}
		}
		// Moving evidence to the front never lowers a value.
		var front, rest []string
		for _, id := range order {
			if slices.Contains(evidence, id) {
				front = append(front, id)
			} else {
				rest = append(rest, id)
			}
		}
		sorted := Score(ranking(append(front, rest...)...), evidence)
		require.GreaterOrEqual(t, sorted.NDCG+1e-12, m.NDCG)
		require.GreaterOrEqual(t, sorted.MRR, m.MRR)
	})
}

func TestMeanAndCategories(t *testing.T) {
	answers := []Answered{
		{Query{Category: "b", Evidence: []string{"e"}}, ranking("e")},
		{Query{Category: "a", Evidence: []string{"e"}}, ranking("x", "e")},
		{Query{Category: "b", Evidence: []string{"e"}}, nil},
	}
	categories, total := ByCategory(answers)
	require.Equal(t, "a", categories[0].Name)
	require.Equal(t, 1, categories[0].N)
	require.InDelta(t, 0.5, categories[0].MRR, 1e-12)
	require.Equal(t, "b", categories[1].Name)
	require.InDelta(t, 0.5, categories[1].Recall[0], 1e-12)
	require.Equal(t, 3, total.N)
	require.InDelta(t, 2./3, total.Recall[2], 1e-12)
	// The mean of the categories' means, weighted, is the mean of all.
	require.InDelta(t, total.MRR, Mean(categories[0].Metrics, categories[1].Metrics).MRR, 1e-12)
	require.Equal(t, Metrics{}, Mean())
}

func TestWriteRun(t *testing.T) {
	answers := []Answered{
		{Query{ID: "q1"}, []Ranked{{Turn: "a:1", Score: 1.5}, {Turn: "a:2", Score: 0.25}, {Turn: "a:3"}}},
		{Query{ID: "q2"}, nil},
		{Query{ID: "q3"}, []Ranked{{Turn: "b:1", Score: -1. / 3}}},
	}
	var b strings.Builder
	require.NoError(t, WriteRun(&b, answers, 2, "ebb"))
	require.Equal(t, "q1 Q0 a:1 1 1.500000000 ebb\nq1 Q0 a:2 2 0.250000000 ebb\nq3 Q0 b:1 1 -0.333333333 ebb\n", b.String())
}

func FuzzQueries(f *testing.F) {
	f.Add(turnLine)
	f.Add(queryLine + "\n" + queryLine)
	f.Add("{\"id\":1}\n[]\nnull")
	f.Fuzz(func(t *testing.T, input string) {
		known := map[string]map[string]bool{"one": {"a:1": true}}
		seen := map[string]bool{}
		err := decodeLines("x.jsonl", strings.NewReader(input), func(line int, q Query) error {
			return checkQuery("x.jsonl", line, q, known, seen)
		})
		if err != nil && !strings.HasPrefix(err.Error(), "x.jsonl:") {
			t.Errorf("the error names no line: %v", err)
		}
	})
}

func TestAnswerIn(t *testing.T) {
	q := Query{Question: "Where did Noor move?", Answer: "Noor moved to Oslo in March"}
	require.InDelta(t, 1, q.AnswerIn("[m1] Noor: we are in Oslo since March"), 1e-9)
	require.InDelta(t, .5, q.AnswerIn("Oslo"), 1e-9)
	require.Zero(t, q.AnswerIn("Noor moved"))
	require.InDelta(t, 1, (&Query{Question: "Did Noor move?", Answer: "Noor moved"}).AnswerIn(""), 1e-9)
}

func TestNamesAny(t *testing.T) {
	for question, want := range map[string]bool{
		"Where did Noor go?": true, "What is noor's cat called?": true, "What about Noorah?": false, "": false,
	} {
		require.Equal(t, want, NamesAny(question, []string{"Noor Haddad"}), question)
	}
}
