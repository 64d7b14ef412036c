package extension

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown returns what stands before a model that is asked something in a new conversation.
func (l *diary) shown(question string) string {
	l.t.Helper()
	s, err := l.x.Session(Scope{User: "dora", Session: "later"})
	require.NoError(l.t, err)
	injected, err := s.Preview(l.t.Context(), question)
	require.NoError(l.t, err)
	return injected.Block
}

// A story, a game, a pasted letter and a joke end nothing that is true, and are no facts.
func TestFeignedMessagesStateNothing(t *testing.T) {
	for _, c := range []struct{ lives, feigned, word string }{
		{"I live in Leeds with my boyfriend Tom.", "Write me a short story. I live in Paris and I'm a spy.", "Paris"},
		{"I live in Leeds with my boyfriend Tom.", "this came today:\nHi Anna,\nI've moved to Berlin and I work at Zalando now.\nBest, Tim", "Zalando"},
		{"I live in Leeds with my boyfriend Tom.", "let's play a game: I live in Paris and you're the baker", "Paris"},
		{"Ich wohne in Rostock.", "Mein Aufsatz fängt so an. Ich wohne in einem Dorf und bin Hirte.", "Hirte"},
		{"Vivo en Granada con mi novio Iván.", "escribe un cuento: Vivo en París y soy espía", "espía"},
		{"我住在成都。", "我作文这样开头：我住在一个小村子里", "村子"},
	} {
		l := newDiary(t)
		l.says(c.lives)
		l.says(c.feigned)
		p, err := l.x.Profile(t.Context(), dora)
		require.NoError(t, err)
		require.Len(t, p.Lines, 1, c.feigned)
		require.Equal(t, strings.TrimSuffix(c.lives, "。"), strings.TrimSuffix(p.Lines[0].Text, "。"))
		require.Empty(t, p.Lines[0].Ended)
	}
}

// Who introduces herself says several things at once in the first person, as stories do.
func TestIntroductionsAreKept(t *testing.T) {
	for _, message := range []string{
		"I'm a nurse and I have two kids.", "I'm 34 and I have a son.", "I'm Greta and I live in Cologne. I'm allergic to penicillin.",
		"I'm a teacher, I have two daughters and I live in Leeds.", "Hello, I'm Sam and I have a question about my invoice. I'm on the Pro plan.",
		"Ich bin Lehrerin und ich wohne in Kiel.", "Soy enfermera, tengo dos hijos y vivo en Vigo.", "我是护士，我有两个孩子，住在成都。",
	} {
		l := newDiary(t)
		l.says(message)
		p, err := l.x.Profile(t.Context(), dora)
		require.NoError(t, err)
		require.NotEmpty(t, p.Lines, message)
	}
}

// What a message says is not to be stored is hidden seconds later, from models and from searches,
// and an agent cannot save it; undoing that brings it back.
func TestUnstoredMessagesAreForgotten(t *testing.T) {
	for _, c := range []struct{ message, word, asked string }{
		{"off the record: my mum has cancer", "cancer", "How is my mum?"},
		{"don't save this, but I'm thinking of leaving Tom", "leaving", "What about Tom and me?"},
		{"merk dir das nicht, aber ich hab Schulden", "Schulden", "Habe ich Schulden?"},
		{"que no quede guardado, pero estoy embarazada", "embarazada", "¿Estoy embarazada?"},
		{"不用记住，我欠小王四百块", "小王", "我欠小王多少钱？"},
		{"keep this out of your notes. I had an operation at nineteen", "operation", "Did I have an operation?"},
		{"speicher nichts von dem, was jetzt kommt: ich hab Schulden bei Kai", "Schulden", "Habe ich Schulden?"},
	} {
		l := newDiary(t)
		l.says("I live in Leeds.")
		l.says(c.message)
		require.NotContains(t, l.shown(c.asked), c.word)
		require.Contains(t, l.tool("remember_fact", map[string]any{"content": "The user says: " + c.word}), "Nothing is saved")
		require.NotContains(t, l.shown(c.asked), c.word)

		runs, err := l.x.Runs(t.Context(), dora, 1)
		require.NoError(t, err)
		_, err = l.x.Undo(t.Context(), dora, runs[0].UID)
		require.NoError(t, err)
		require.Contains(t, l.shown(c.asked), c.word, "after undo")
	}
	l := newDiary(t)
	l.turns("u: Never forget this: I'm allergic to nuts.", "a: Noted.")
	require.Contains(t, l.shown("May I eat this?"), "nuts", "it asks for the contrary")
}

// The answer to such a message is hidden with it, and an agent that comes back to it later saves
// nothing either, with whichever tool, until the user says it again.
func TestUnstoredMattersStayUnstored(t *testing.T) {
	l := newDiary(t)
	l.turns("u: I live in Leeds.", "a: Good to know.", "u: off the record: my mum has cancer", "a: I'm so sorry that your mum has cancer.", "u: What's on tonight?", "a: A film with Kim.")
	require.NotContains(t, l.shown("How is my mum?"), "cancer")
	require.Contains(t, l.shown("What did we say about Leeds?"), "Good to know")
	require.Contains(t, l.shown("Which film was on?"), "film with Kim")
	require.Contains(t, l.tool("remember_fact", map[string]any{"content": "Mum has cancer."}), "Nothing is saved")
	city := l.claimed()[0]
	require.Contains(t, l.tool("correct_fact", map[string]any{"memory_id": city.UID, "new_content": "Mum has cancer."}), "Nothing is saved")
	require.NotContains(t, l.tool("remember_fact", map[string]any{"content": "The user lives in Leeds."}), "Nothing is saved")
	require.NotContains(t, l.shown("How is my mum?"), "cancer")

	runs, err := l.x.Runs(t.Context(), dora, 1)
	require.NoError(t, err)
	_, err = l.x.Undo(t.Context(), dora, runs[0].UID)
	require.NoError(t, err)
	require.Contains(t, l.shown("How is my mum?"), "I'm so sorry", "after undo")

	l.turns("u: My salary is 4,100 a month.", "a: Noted.", "u: Forget my salary.", "a: Done, I've forgotten your salary.")
	require.NotContains(t, l.shown("What about my salary?"), "salary")

	l.says("My mum has cancer.")
	require.NotContains(t, l.tool("remember_fact", map[string]any{"content": "Mum has cancer."}), "Nothing is saved")
}

// A sentence that repeats a fact and says more is kept too, and a request to forget that was not
// carried out is no fact.
func TestRepetitionsThatSayMoreAreKept(t *testing.T) {
	for _, says := range [][2]string{
		{"我怀孕了，预产期九月", "怀孕以后我老失眠"},
		{"我住在深圳。", "我住深圳，六楼没电梯"},
		{"My sister is called Jo.", "My sister Jo has just been made a judge"},
	} {
		l := newDiary(t)
		l.says(says[0])
		l.says(says[1])
		require.Contains(t, l.shown("What do you know about me?"), says[1])
	}
	l := newDiary(t)
	l.says("My locker code is 4471.")
	l.says("forget the locker code, I cancelled the gym")
	p, err := l.x.Profile(t.Context(), dora)
	require.NoError(t, err)
	for _, line := range p.Lines {
		require.NotContains(t, line.Text, "forget")
	}
}

// What says that something is over, or different, and supersedes nothing stands with it, the newer
// first, with both dates, and not among what may be over itself.
func TestWhatMayHaveEndedALineStandsBesideIt(t *testing.T) {
	for _, c := range [][2]string{
		{"I work at Evans Cycles as a mechanic.", "I got the sack from Evans"},
		{"I have a girlfriend, Elif.", "it's over with Elif"},
		{"My rent is 780 a month.", "rent's 850 now"},
		{"My therapist is Dr Lund, every Wednesday at 5.", "stopped seeing Dr Lund"},
		{"I run every morning.", "I don't run anymore, knee"},
		{"Ich wohne mit meinem Freund Jonas in Kassel.", "Jonas und ich haben uns getrennt"},
		{"Vivo en Granada con mi novio Iván.", "lo he dejado con Iván"},
		{"Soy vegetariana.", "he vuelto a comer carne"},
		{"we've got a cat, Biscuit, ginger, fat, thinks he's the landlord", "Biscuit died this morning."},
		{"我养了一只狗，叫豆豆。", "豆豆昨天去世了"},
	} {
		l := newDiary(t)
		l.says(c[0])
		l.now.Set(l.now.Now().AddDate(0, 1, 0))
		l.says(c[1])
		l.now.Set(l.now.Now().AddDate(0, 4, 0))
		require.Regexp(t, "- Tue Mar 3: "+regexp.QuoteMeta(c[0])+"\n- Sat Apr 4: "+regexp.QuoteMeta(c[1])+"\n", l.shown("What do you know about me?"))
	}
}

// Two homes and two jobs stay two in the night.
func TestNightsKeepWhatHoldsBeside(t *testing.T) {
	for _, said := range [][2]string{
		{"I live in Oslo.", "I also live in Lisbon."},
		{"I live in Oslo during the week.", "At weekends I live in Bergen."},
		{"I work at Acme on Mondays.", "On Fridays I work at Bluebird."},
		{"I work as a nurse.", "In my spare time I work as a DJ."},
		{"Ich arbeite bei Bosch.", "Nebenbei arbeite ich bei Rewe."},
	} {
		l := newDiary(t, func(c *Config) { c.Model = nil })
		l.says(said[0])
		l.says(said[1])
		_, err := l.x.Consolidate(t.Context(), dora)
		require.NoError(t, err)
		require.Len(t, l.objects(), 2, said)
	}
}

// What is so for a week ends nothing.
func TestTemporaryStatementsSupersedeNothing(t *testing.T) {
	l := newDiary(t)
	l.says("I work at Evans Cycles as a mechanic.")
	l.says("covering for Kim this week so I work at the Harrogate shop till Saturday")
	require.NotContains(t, l.shown("What do you know about me?"), "no longer")
	require.NotContains(t, l.shown("What do you know about me?"), "before: I work at Evans")
	l.says("I work at Tramworks now.")
	require.Contains(t, l.shown("What do you know about me?"), "before: I work at Evans")
}
