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
		require.Contains(t, section, ": "+c[0]+" ")
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

// What several people say in the same words is of each of them.
func TestTheSameWordsOfSeveralSpeakers(t *testing.T) {
	l := newDiary(t)
	l.says("We have two cats.")
	names := []string{"Ann", "Ben", "Cleo", "Dan"}
	for _, name := range names {
		l.says("I'm allergic to nuts.", eventbus.Speaker(name))
	}
	for _, q := range []Query{{Text: "Who is allergic to nuts?", Limit: 20}, {Text: "Who is allergic to nuts?", Limit: 20, Kinds: []Kind{KindFact}}} {
		answer, err := l.x.Recall(t.Context(), dora, q)
		require.NoError(t, err)
		var entries []prompt.Entry
		messages, facts := []string{}, []string{}
		for _, r := range answer.Results {
			if says := r.Memory.Saying(); says.Speaker != "" {
				if r.Memory.Kind == KindEpisode {
					messages = append(messages, r.Memory.Speaker)
				} else {
					facts = append(facts, r.Memory.Subject)
				}
				entries = append(entries, prompt.Entry{Result: r, Cut: says.Speaker != "dan"})
			}
		}
		require.ElementsMatch(t, names, facts)
		shown := make(map[string]int)
		for _, e := range dropRepeated(entries) {
			shown[e.Memory.Saying().Speaker]++
		}
		if len(q.Kinds) > 0 {
			require.Equal(t, map[string]int{"ann": 1, "ben": 1, "cleo": 1, "dan": 1}, shown)
			continue
		}
		require.ElementsMatch(t, names, messages)
		require.Equal(t, map[string]int{"ann": 2, "ben": 2, "cleo": 2, "dan": 1}, shown, "only Dan's message is shown whole")
	}
}

// What ends one of several things that a sentence joins leaves the others, and marks that one at most.
func TestEndOfOneOfSeveralThings(t *testing.T) {
	for _, c := range []struct{ said, later, part string }{
		{"I'm allergic to nuts and penicillin.", "Turns out I'm not allergic to penicillin.", ""},
		{"Ich bin allergisch gegen Nüsse und Penicillin", "Ich bin nicht mehr allergisch gegen Penicillin", ""},
		{"Soy alérgica a las nueces y a la penicilina", "Ya no soy alérgica a la penicilina", ""},
		{"我对花生和青霉素过敏", "我对青霉素不过敏了", ""},
		{"I take sertraline 50mg in the morning and omeprazole at night.", "Sertraline is up to 100mg now.", ""},
		{"Mi abuelo vive en Cádiz y mi abuela en Huelva.", "Mi abuelo murió.", ""},
		{"I have asthma and diabetes", "I no longer have asthma", "I have asthma"},
		{"Ich wohne in Köln, mein Bruder wohnt in Bonn.", "Mein Bruder ist nach Berlin gezogen.", "mein Bruder wohnt in Bonn"},
		{"I work at Bosch and my wife works at Aldi.", "My wife works at Lidl now.", "my wife works at Aldi"},
		{"Our cat Luna is 12 and our dog Max is 3.", "Luna died", "Our cat Luna is 12"},
		{"I have a Trek and a Brompton.", "I sold the Brompton.", "a Brompton"},
		{"Vivo en Bilbao y trabajo en un vivero.", "nos mudamos a Getxo la semana pasada", "Vivo en Bilbao"},
	} {
		l := newDiary(t)
		l.says(c.said)
		l.says(c.later)
		shown := l.shown("What do you know about me?")
		mark := ": " + c.said + "\n"
		if c.part != "" {
			mark = ": " + c.said + ` ("` + c.part + `" is no longer so since `
		}
		require.Contains(t, shown, mark)
		require.Contains(t, shown, ": "+c.later)
	}
}
