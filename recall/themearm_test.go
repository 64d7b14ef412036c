package recall

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/internal/topics"
	"github.com/ebbmem/ebb/schema"
)

// everyday are turns that share no word with the questions asked of them.
var everyday = []turn{
	{session: "one", role: "user", text: "I can't eat gluten.", minutes: 1},
	{session: "two", role: "user", text: "I drive a green Skoda.", minutes: 2},
	{session: "three", role: "user", text: "My sister is called Noor.", minutes: 3},
	{session: "four", role: "user", text: "Ich spiele Geige.", minutes: 4},
	{session: "five", role: "user", text: "我对海鲜过敏", minutes: 5},
}

func TestTopicsFindOtherWords(t *testing.T) {
	db := open(t)
	say(t, db, ada, everyday...)
	s := New(db, Options{})
	defer s.Close()
	without := New(db, Options{Weights: withoutTopics()})
	defer without.Close()
	for question, want := range map[string]string{
		"Shall we order the pizza?":   "I can't eat gluten.",
		"Which vehicle is mine?":      "I drive a green Skoda.",
		"Welches Auto gehört mir?":    "I drive a green Skoda.",
		"Which instruments are mine?": "Ich spiele Geige.",
		"今晚吃什么":                       "我对海鲜过敏",
	} {
		require.NotContains(t, texts(search(t, without, Query{Text: question})), want, question)
		found := search(t, s, Query{Text: question})
		require.Contains(t, texts(found), want, question)
		first := found.Results[slices.Index(texts(found), want)]
		require.Contains(t, first.Explain(), "found by topic", question)
		require.Contains(t, first.Explain(), "topic ", question)
	}
	require.Empty(t, search(t, s, Query{Text: "Zzyzx?"}).Results)
	require.Empty(t, search(t, s, Query{Text: "Shall we order the pizza?", Kinds: []schema.Kind{schema.KindFact}}).Results, "the filter holds for this arm too")
}

// The arm proposes what comparing the question with every document would.
func TestTopicArmFindsNear(t *testing.T) {
	known := rapid.SampledFrom([]string{"pizza", "Skoda", "violin", "sister", "doctor", "garden", "flight", "rent", "cat"})
	some := rapid.OneOf(known, rapid.Just("zzyzx"))
	rapid.Check(t, func(t *rapid.T) {
		ix := newIndex()
		for i := range rapid.IntRange(1, 600).Draw(t, "turns") {
			// Some chunks belong to a memory that is not the last any more.
			memory := int64(i + 1)
			if i > 0 && rapid.IntRange(0, 9).Draw(t, "late") == 0 {
				memory = ix.memories.At(rapid.IntRange(0, len(ix.docs)-1).Draw(t, "of"))
			}
			said := some.Draw(t, "a") + " and " + some.Draw(t, "b")
			ix.add(schema.IndexedChunk{ID: int64(i + 1), MemoryID: memory, Text: []byte(text.Prepare(said)), Kind: schema.KindEpisode, State: schema.StateActive}, 0)
		}
		asked := "the " + known.Draw(t, "asked")
		q := ix.themes.Ask(asked)
		require.NotNil(t, q)
		r := &Request{index: ix, themes: ix.themes.Ask(asked), filter: &filter{states: bitOfState(schema.StateActive), byState: true}}
		found, err := themeArm{}.Candidates(t.Context(), r)
		require.NoError(t, err)
		var want []Candidate
		for doc := range ix.docs {
			if near := q.Near(int32(doc)); near > 0 {
				want = append(want, Candidate{MemoryID: ix.memories.At(doc), Score: near, place: uint32(doc) + 1})
			}
		}
		want = best(want)
		want = want[:min(len(want), themeDepth)]
		require.Len(t, found, len(want))
		for i := range want {
			require.Equal(t, want[i], found[i])
		}
	})
}

func TestThemesOfDocuments(t *testing.T) {
	ix := newIndex()
	id := int64(0)
	add := func(memory int64, state schema.State, said string) {
		id++
		ix.add(schema.IndexedChunk{ID: id, MemoryID: memory, Text: []byte(text.Prepare(said)), Kind: schema.KindFact, State: state}, 0)
	}
	names := func(doc uint32) []string { return ix.themes.Of(doc).Names() }
	add(1, schema.StateActive, "pizza")
	add(2, schema.StateActive, "a Skoda")
	add(2, schema.StateActive, "and a violin")
	add(1, schema.StateActive, "my violin")
	add(3, schema.StateActive, "zzyzx")
	require.Contains(t, names(1), "music", "the last document's second chunk")
	require.Contains(t, names(0), "music", "an earlier document's second chunk")
	require.Equal(t, topics.Of("pizza").Names()[0], names(0)[0])

	// The census counts what the statistics count.
	var want topics.Census
	for doc := range uint32(3) {
		want.Add(ix.themes.Of(doc))
	}
	require.Equal(t, &want, &ix.themes.Census)
	ix.change(map[int64]schema.State{2: schema.StateRetired})
	want.Remove(ix.themes.Of(1))
	require.Equal(t, &want, &ix.themes.Census)
	ix.change(map[int64]schema.State{2: schema.StateActive})
	want.Add(ix.themes.Of(1))
	require.Equal(t, &want, &ix.themes.Census)
}

// Without the topic weights nothing is asked of the arm.
func TestTopicsCanBeSwitchedOff(t *testing.T) {
	db := open(t)
	say(t, db, ada, everyday...)
	s := New(db, Options{Weights: withoutTopics()})
	defer s.Close()
	require.Empty(t, search(t, s, Query{Text: "Shall we order the pizza?"}).Results)
}
