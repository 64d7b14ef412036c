package extension

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/schema"
)

// profiled are the sentences that the user's profile holds.
func (l *diary) profiled() (sentences []string) {
	l.t.Helper()
	p, err := l.x.Profile(l.t.Context(), dora)
	require.NoError(l.t, err)
	for _, line := range p.Lines {
		sentences = append(sentences, line.Text)
	}
	return sentences
}

func TestLastingSentenceIsKept(t *testing.T) {
	l := newDiary(t)
	l.says("The tram was full again. I got soaked on the way in. Then the lift broke, so everybody took the stairs, and lunch was cold. Thursdays I coach the under-nines till seven.")
	require.Equal(t, []string{
		"Thursdays I coach the under-nines till seven.",
		"I got soaked on the way in. Then the lift broke, so everybody took the stairs, and lunch was cold.", // in reserve
	}, l.profiled())
	claims := slices.DeleteFunc(l.claimed(), func(m Record) bool { return m.State == StateDormant })
	require.Len(t, claims, 1)
	require.Less(t, claims[0].Confidence, 0.6, "it is less sure than what is understood")
	require.Equal(t, schema.SaidLasting, claims[0].Attributes[schema.AttrSaid])

	known := len(l.claimed())
	other := Scope{User: dora.User, Session: "other"} // else it is no further evidence of anything
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.UserMessage(other, "Thursdays I coach the under-nines till seven.")))
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Len(t, l.claimed(), known, "said twice it is known")
	again := slices.DeleteFunc(l.claimed(), func(m Record) bool { return m.State == StateDormant })
	require.Equal(t, claims[0].Confidence, again[0].Confidence, "and lasts no longer for it: small talk is said most often")
	runs := l.runs("said")
	_, err := l.x.Undo(t.Context(), dora, runs[len(runs)-1].UID)
	require.NoError(t, err)

	only := newDiary(t, func(c *Config) { c.NoClaims = true })
	only.says("Thursdays I coach the under-nines till seven.")
	require.Empty(t, only.profiled())
}

// A message that begins with "them" is shown with the name in the message before.
func TestWhatRestsOnTheMessageBeforeIsShownWithItsName(t *testing.T) {
	l := newDiary(t)
	l.says("Hanna & Jo want the 5 July for their wedding, the ceremony is right out on the pier")
	l.publish("told them 900 for the evening, they always pay me a quarter in advance")
	require.Contains(t, l.profiled(), "(Hanna & Jo) told them 900 for the evening, they always pay me a quarter in advance")
}

// A sentence that only asks to keep something keeps the one before it.
func TestKeptIsWhatStandsBeforeABareRequest(t *testing.T) {
	l := newDiary(t)
	l.says("So, der erste Tag mit der Gruppe ist geschafft, zwölf Kinder, und ich will nur noch liegen. Lotte Brandt hat eine schwere Wespenallergie, da zählt jede Minute. Das musst du dir bitte dauerhaft merken, das darf mir bei keinem Picknick passieren.")
	var kept []string
	for _, m := range l.claimed() {
		if m.Protected {
			kept = append(kept, m.Content)
		}
	}
	require.Equal(t, []string{"Lotte Brandt hat eine schwere Wespenallergie, da zählt jede Minute."}, kept)
	require.NotContains(t, strings.Join(l.profiled(), " "), "dauerhaft merken")
}

// What is to be kept is what the request says after its colon, not what stands beside it, and a
// standing wish is kept that reads like a task.
func TestKeptIsWhatTheRequestSays(t *testing.T) {
	for message, kept := range map[string]string{
		"Guarda esto para siempre, porque lo buscaré dentro de ocho años: la escritura de la casa está en la lata de galletas danesas. Sí, donde todos guardan los hilos.": "galletas danesas",
		"Keep this for good, I'll look for it in eight years: the deed of the house is in the biscuit tin. Yes, where everybody keeps thread.":                             "biscuit tin",
	} {
		l := newDiary(t)
		l.says(message)
		require.True(t, slices.ContainsFunc(l.claimed(), func(m Record) bool { return m.Protected && strings.Contains(m.Content, kept) }), "%q", l.claimed())
	}
	l := newDiary(t)
	l.says("For running I think in minutes per kilometre. Please give me every pace in that form, and leave the mile to the horses.")
	require.Contains(t, strings.Join(l.profiled(), " "), "every pace in that form")
}

// "It's genetic" says nothing without the sentence before it.
func TestShortLastingMessageIsKeptWhole(t *testing.T) {
	const message = "The tram was full again. Thursdays I coach the under-nines till seven."
	l := newDiary(t)
	l.says(message)
	require.Equal(t, []string{message}, l.profiled())
}

// A sentence about somebody is kept and shown with the one that names them, also where a
// pattern parses that one.
func TestPronounIsKeptWithWhomItMeans(t *testing.T) {
	for _, message := range []string{
		"My husband is Callum. He's allergic to penicillin and he can't swim.",
		"My friend is called Bex. She's got epilepsy and she mustn't drive.",
		"My mother-in-law is Sheila. She's diabetic, so no sugar in anything.",
		"Mein Mann heißt Jonas. Er verträgt keine Milch und er hat Höhenangst.",
		"我老公叫王强。他对青霉素过敏，也不会游泳。",
	} {
		l := newDiary(t)
		l.says(message)
		require.Equal(t, []string{message}, l.profiled())
		require.True(t, slices.ContainsFunc(l.claimed(), func(m Record) bool { return m.Content == message }), "%q", l.claimed())
	}
}

func TestKeptSentenceDoesNotBlockClaims(t *testing.T) {
	const sentence, fact = "Gate code at the new place is 3317, in case the courier asks.", "The gate code at the new place is 3317."
	l := newDiary(t)
	l.says(sentence)
	require.Equal(t, []string{sentence}, l.profiled(), "kept before the agent has made anything of it")
	l.tool("remember_fact", map[string]any{"content": fact})
	l.tool("remember_fact", map[string]any{"content": fact})
	var told []Record
	for _, c := range l.claimed() {
		if c.Content == fact {
			told = append(told, c)
		}
	}
	require.Len(t, told, 1, "what an agent makes of the sentence is stored")
	require.Equal(t, []string{sentence}, l.profiled(), "and the sentence has one line")

	_, err := l.x.Correct(t.Context(), dora, told[0].UID, "Dora's gate code is 9902.")
	require.NoError(t, err)
	require.Equal(t, []string{"Dora's gate code is 9902."}, l.profiled(), "what the sentence said is over")
}

func TestKeptSentenceIsNotFoundWithItsMessage(t *testing.T) {
	const message, kept = "The tram was full again. I got soaked on the way in. Then the lift broke, so everybody took the stairs, and lunch was cold. Thursdays I coach the under-nines till seven.", "Thursdays I coach the under-nines till seven."
	l := newDiary(t)
	l.says(message)
	for _, town := range []string{"Leeds", "Hull", "York"} {
		l.says("A coach from " + town + " rang.")
	}
	found := l.found("Thursdays coach under-nines till seven")
	require.Equal(t, message, found[0])
	require.NotContains(t, found, kept, "its message says it")
	s, err := l.x.Session(dora)
	require.NoError(t, err)
	block, err := s.Preview(t.Context(), "Thursdays coach under-nines till seven?")
	require.NoError(t, err)
	for _, item := range block.Items {
		require.NotEqual(t, kept, item.Memory.Content)
	}
}

func TestForgetPicksNewestOfMany(t *testing.T) {
	l := newDiary(t)
	for _, day := range []string{"Mondays", "Tuesdays", "Wednesdays", "Fridays"} {
		l.says(day + " Priya picks up our twins from the nursery.")
	}
	l.says("Priya's key safe opens with 4417, our neighbour set it.")
	before := l.profiled()
	l.says("I shouldn't have typed that code for Priya, wipe it from your memory please.")
	require.Len(t, l.profiled(), len(before)-1)
	for _, line := range l.profiled() {
		require.NotContains(t, line, "4417")
	}
	_, err := l.x.Undo(t.Context(), dora, l.runs("said")[0].UID)
	require.NoError(t, err)
	require.ElementsMatch(t, before, l.profiled())
}

// "Never forget" is not undone by a word that two memories share.
func TestProtectedIsNotForgottenByGuess(t *testing.T) {
	l := newDiary(t)
	l.says("Never forget this: my blood type is AB negative.")
	l.says("Our alarm code is 7735 star.")
	l.says("I shouldn't have typed those digits for the burglar alarm, wipe them from your memory please.")
	require.Equal(t, []string{"Never forget this: my blood type is AB negative."}, l.profiled())
}

func TestCoreSectionReservesRoomForProtected(t *testing.T) {
	l := newDiary(t, func(c *Config) { c.CoreMemory.ProfileTokens, c.CoreMemory.OwnAffairsTokens = 120, 120 })
	l.says("Never forget this: our son carries an adrenaline pen.")
	for _, town := range []string{"Gouda", "Delft", "Breda", "Arnhem", "Tilburg", "Zwolle", "Leiden", "Assen", "Venlo", "Almere", "Utrecht", "Haarlem"} {
		l.says("I like " + town + " bicycles.")
	}
	require.Len(t, l.profiled(), 13)
	s, err := l.x.Session(dora)
	require.NoError(t, err)
	found, err := s.Preview(t.Context(), "Which bicycles do I like?")
	require.NoError(t, err)
	require.Less(t, strings.Count(found.Block, "- I like "), 12, "not all have room")
	require.Contains(t, found.Block, "adrenaline pen", "whatever is asked")
	require.Contains(t, found.Block, "bicycle", "and what is asked for")
}

func TestParsedSentenceIsNotKeptToo(t *testing.T) {
	const sentence, fact = "Gate code at the new place is 3317, in case the courier asks.", "The gate code at the new place is 3317."
	path := filepath.Join(t.TempDir(), "m.db")
	quiet, err := Open(t.Context(), path, &Config{NoBackground: true}) // the agent is faster than the background
	require.NoError(t, err)
	require.NoError(t, quiet.Bus().Publish(t.Context(), eventbus.UserMessage(dora, sentence)))
	(&diary{t: t, x: quiet}).tool("remember_fact", map[string]any{"content": fact})
	require.NoError(t, quiet.Close(t.Context()))

	x := openConfig(t, path, &Config{Night: NightConfig{NoSchedule: true}})
	require.NoError(t, x.WaitIdle(t.Context()))
	claims := (&diary{t: t, x: x}).claimed()
	require.Len(t, claims, 1)
	require.Equal(t, fact, claims[0].Content)
}

func TestDropRepeated(t *testing.T) {
	entryOf := func(kind Kind, content string, short bool) prompt.Entry {
		return prompt.Entry{Result: Result{Memory: Record{Kind: kind, Content: content}}, Cut: short}
	}
	message := "The tram was full.  Thursdays I coach till seven."
	said, other := entryOf(KindFact, "Thursdays I coach till seven.", false), entryOf(KindFact, "Dora coaches.", false)
	require.Equal(t, []prompt.Entry{entryOf(KindEpisode, message, false), other}, dropRepeated([]prompt.Entry{said, entryOf(KindEpisode, message, false), other}))
	require.Len(t, dropRepeated([]prompt.Entry{said, entryOf(KindEpisode, message, true)}), 2, "a line of a message may not hold it")
	require.Len(t, dropRepeated([]prompt.Entry{said, other}), 2)
}

// A fact that a model saved in other words rests on the sentence that says little else.
func TestSavedFactRestsOnItsSentence(t *testing.T) {
	l := newDiary(t)
	l.publish("The trust's maps are metric, the truck is metric, my own grandson in the north is metric, and I looked today at a rod and thought 'five metres and a bit', as if nothing were the matter. It's over. Give it to me in metres, and let no one say I went quietly.")
	l.tool("remember_fact", map[string]any{"content": "Dora now wants distances in metres."})
	require.Contains(t, l.profiled()[0], "Give it to me in metres")

	l.publish("Thursdays I coach the under-nines till seven, as you know by now, and on Sundays their mothers bring cake to the pitch whatever the weather does. The plumber put a second pump down there while the rain was still coming in under the door and everybody stood about on chairs.")
	l.tool("remember_fact", map[string]any{"content": "Dora owns backup equipment, a standby pump, against flooding of rooms below ground after storms, heavy snow or hail."})
	require.Contains(t, l.profiled()[1], "second pump")
}

// A sentence that no pattern parses and that was undone does not come back from its message.
func TestUndoneSentenceStaysUndone(t *testing.T) {
	const said = "Thursdays I coach the under-nines till seven."
	for _, undone := range []bool{false, true} {
		l := newDiary(t)
		l.says(said)
		require.NotEmpty(t, l.profiled())
		if undone {
			_, err := l.x.Undo(t.Context(), dora, l.runs("said")[0].UID)
			require.NoError(t, err)
		}
		l.tool("remember_fact", map[string]any{"content": "Dora coaches the under-nines on Thursdays till seven."})
		require.Equal(t, !undone, slices.Contains(l.profiled(), said))
	}
}
