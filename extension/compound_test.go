package extension

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/prompt"
)

// Of a sentence that states several things the mark says which of them no longer holds.
func TestEndOfAPartOfASentence(t *testing.T) {
	for _, c := range [][3]string{
		{"I work at Quillstack, I have two kids and I'm allergic to penicillin.", "I work at Allegro now.", "I work at Quillstack"},
		{"Ich wohne in Graz, ich bin gegen Nüsse allergisch.", "Ich wohne jetzt in Wien.", "Ich wohne in Graz"},
		{"Vivo en Cádiz, soy alérgica a las nueces.", "Ahora vivo en Sevilla.", "Vivo en Cádiz"},
		{"我住在上海，对花生过敏。", "我现在住在北京。", "我住在上海"},
	} {
		l := newDiary(t)
		l.says(c[0])
		l.says(c[1])
		s, err := l.x.Session(dora)
		require.NoError(t, err)
		section := s.injected(t.Context(), "model", "Can I take penicillin? 花生 nueces Nüsse", "")
		require.Contains(t, section, "- "+c[0]+" ")
		require.Contains(t, section, `("`+c[2]+`" is no longer so since 2026-03-`, c[0])
	}
	l := newDiary(t)
	l.says("I live in Bergen, near the harbour.")
	l.says("I live in Oslo now.")
	for _, line := range l.profiled() {
		require.NotContains(t, line, "Bergen", "nothing else holds")
	}
}

// Where several people speak, a record of a fact names whose it is.
func TestRecordsOfFactsNameTheirSpeaker(t *testing.T) {
	l := newDiary(t)
	ask := func() string {
		return l.tool("search_memory", map[string]any{"query": "Where do I live?", "kind": "fact"})
	}
	l.says("I live in Gdansk.", eventbus.Speaker("Marek"))
	require.Contains(t, ask(), " fact: I live in Gdansk.", "the only speaker")
	l.says("I live in Gdynia.", eventbus.Speaker("Priya"))
	l.says("I live in Sopot.")
	require.Contains(t, ask(), " Marek (fact): I live in Gdansk.")
	require.Contains(t, ask(), " Priya (fact): I live in Gdynia.")
	require.Contains(t, ask(), " fact: I live in Sopot.", "the owner of the memory")
}

// A sentence that states several facts is one record in a context.
func TestCompoundSentenceIsOneRecord(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Gdansk and I'm allergic to nuts.")
	l.says("My sister is called Rita.")
	var all []prompt.Entry
	for _, m := range l.claimed() {
		all = append(all, prompt.Entry{Result: Result{Memory: m}})
	}
	require.Len(t, all, 3)
	require.Len(t, dropRepeated(all), 2)
}
