package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// linesOfMessage returns the lines of a message of which some sentences were kept, by likelihood.
func linesOfMessage(t *testing.T, content string, kept map[string]float64, over ...string) (texts []string, groups []Group) {
	t.Helper()
	claims := make(map[int64]*ownClaim)
	for s, likely := range kept {
		c := message(claims, 2, content, s)[0]
		c.claim.Attributes, c.claim.Confidence, c.over = lasting, 0.6*likely, over
	}
	lines, _ := linesOf(claims, time.UTC, time.Time{}).All()
	for _, l := range lines {
		texts, groups = append(texts, l.Text), append(groups, l.Group)
	}
	return texts, groups
}

// A sentence about what another one names is shown with that, or with its clause that does.
func TestASentenceIsShownWithWhatItRestsOn(t *testing.T) {
	const family = "Im Brief geht es um die Eltern von Omar Said, die schon länger hier sind und im Sommer noch einmal umziehen wollen."
	const father = "Der Vater arbeitet nachts bei der Post, er schläft deshalb bis mittags und ist danach erst zu erreichen, am besten schreibt man ihm eine Nachricht oder man ruft kurz vor zwei bei ihm an."
	for name, c := range map[string]struct {
		content, sentence string
		want              string
	}{
		"the sentence before":      {"Walter rang at 9. The fair is on 3 May and he'd like the flyer by then.", "The fair is on 3 May and he'd like the flyer by then.", "Walter rang at 9. The fair is on 3 May and he'd like the flyer by then."},
		"its clause":               {family + " " + father, father, "Im Brief geht es um die Eltern von Omar Said" + elision + father},
		"either of two":            {"My wife is in hospital. Walter rang at 9. She had a stroke and needs rest for weeks.", "She had a stroke and needs rest for weeks.", "My wife is in hospital. Walter rang at 9. She had a stroke and needs rest for weeks."},
		"not a question":           {"Any news? Told you about Ines. Hidden in the tool shed.", "Hidden in the tool shed.", "Told you about Ines. Hidden in the tool shed."},
		"the one before":           {"Oma hat heute Geburtstag. Es gab Torte und Kaffee. Am meisten hat sie sich über das Foto gefreut.", "Am meisten hat sie sich über das Foto gefreut.", "Oma hat heute Geburtstag. Es gab Torte und Kaffee. Am meisten hat sie sich über das Foto gefreut."},
		"without an apostrophe":    {"Piotr came by with the boots. hes in the small size since the spring", "hes in the small size since the spring", "Piotr came by with the boots. hes in the small size since the spring"},
		"without capitals":         {"packed in karate it cost too much. its trampoline now weds half four at the leisure centre", "its trampoline now weds half four at the leisure centre", "packed in karate it cost too much. its trampoline now weds half four at the leisure centre"},
		"a thing":                  {"Cleared out the loft. It's behind the boiler with the other paint.", "It's behind the boiler with the other paint.", "Cleared out the loft. It's behind the boiler with the other paint."},
		"a possessive":             {"Cleared out the loft. its lid is cracked now and the handle broken", "its lid is cracked now and the handle broken", "its lid is cracked now and the handle broken"},
		"without its subject":      {"Fui con Ramiro al doctor. ya no va a tomar pastillas para dormir", "ya no va a tomar pastillas para dormir", "Fui con Ramiro al doctor. ya no va a tomar pastillas para dormir"},
		"to her":                   {"Vino Aurora temprano. a ella le presté el taladro hasta el lunes", "a ella le presté el taladro hasta el lunes", "Vino Aurora temprano. a ella le presté el taladro hasta el lunes"},
		"words that change a life": {"Bruno's dead. I was to bring my aunt the paper today, it was my turn.", "I was to bring my aunt the paper today, it was my turn.", "Bruno's dead. I was to bring my aunt the paper today, it was my turn."},
		"none that deny it":        {"Nobody died here. I was to bring my aunt the paper today, it was my turn.", "I was to bring my aunt the paper today, it was my turn.", "I was to bring my aunt the paper today, it was my turn."},
		"and behind it":            {"Ona rang my aunt at four from the ward. It was cancer. Rain all day.", "Ona rang my aunt at four from the ward.", "Ona rang my aunt at four from the ward. It was cancer."},
		"nothing that stands":      {"Walter rang at 9. My sister lives in Oslo by the sea.", "My sister lives in Oslo by the sea.", "My sister lives in Oslo by the sea."},
		"nothing without a name":   {"What a day. The fair is on 3 May and he'd like the flyer.", "The fair is on 3 May and he'd like the flyer.", "The fair is on 3 May and he'd like the flyer."},
	} {
		texts, _ := linesOfMessage(t, c.content, map[string]float64{c.sentence: 0.8})
		require.Equal(t, []string{c.want}, texts, name)
	}
	texts, _ := linesOfMessage(t, "Walter rang at 9. He'd like the flyer by May.", map[string]float64{"He'd like the flyer by May.": 0.8}, "walter rang at 9.")
	require.Equal(t, []string{"He'd like the flyer by May."}, texts, "what no longer holds stays away")
	texts, _ = linesOfMessage(t, "Bruno's dead. I was to bring my aunt the paper.", map[string]float64{"I was to bring my aunt the paper.": 0.8}, "bruno's dead.")
	require.Equal(t, []string{"I was to bring my aunt the paper."}, texts, "nor what was taken back")
}

// What begins with a word for somebody that no message names is said in passing, unless a name follows or
// the message before begins with one.
func TestADanglingSentenceIsSaidInPassing(t *testing.T) {
	for content, want := range map[string]Group{
		"told them 900 for the evening, they paid at once": Passing,
		"He's here! Biscuit, nine weeks old and brown":     Said,
		"I told Ines 900 for the evening":                  Said,
	} {
		_, groups := linesOfMessage(t, content, map[string]float64{content: 0.8})
		require.Equal(t, []Group{want}, groups, content)
	}
	claims := make(map[int64]*ownClaim)
	c := message(claims, 2, "told them 900 for the evening", "told them 900 for the evening")[0]
	c.claim.Attributes, c.claim.Confidence, c.named = lasting, 0.5, "Hanna & Jo"
	lines, _ := linesOf(claims, time.UTC, time.Time{}).All()
	require.Equal(t, "(Hanna & Jo) told them 900 for the evening", lines[0].Text)
	require.Equal(t, Said, lines[0].Group)
}

// A few words that say nothing without the rest of their message leave no line.
func TestAStumpLeavesNoLine(t *testing.T) {
	const rest = "The rent of 640 goes to Mr Lowe on the first of the month."
	texts, _ := linesOfMessage(t, "Back from the shops. "+rest, map[string]float64{"Back from the shops.": 0.2, rest: 0.8})
	require.Equal(t, []string{rest}, texts)
	texts, _ = linesOfMessage(t, "Back from the shops.", map[string]float64{"Back from the shops.": 0.2})
	require.Len(t, texts, 1, "a message is no stump")
	for sentence, likely := range map[string]float64{
		"I'm deaf.": 0.3, "I quit smoking.": 0.24, "My knee is broken.": 0.16, "The landlord is a crook.": 0.24, "She said yes.": 0.09, "It was cancer.": 0.06, "He's in prison.": 0.2,
		"It's in the shed.": 0.29, "Er ist gestorben.": 0.19, "Ich bin taub.": 0.34, "Tuvo un infarto.": 0.17, "Soy celíaca.": 0.2, "她中风了。": 0.06, "我辞职了。": 0.2,
	} {
		texts, _ = linesOfMessage(t, "Back from the shops. "+rest+" "+sentence, map[string]float64{sentence: likely})
		require.Len(t, texts, 1, sentence)
	}
}

// The clause is the one that best names a person, the last of several.
func TestNamingClause(t *testing.T) {
	for sentence, want := range map[string]string{
		"Es geht um die Eltern von Omar Said, sie kommen am Montag.":                       "Es geht um die Eltern von Omar Said",
		"Und jetzt zum Schönen: Jan Brandt liest schon fließend.":                          "Jan Brandt liest schon fließend",
		"Frau Timm geht in Rente, und für Paul kommt im Mai ein Herr Holm, mit h.":         "für Paul kommt im Mai ein Herr Holm",
		"the harbour is closed, but Mr Lowe has a key":                                     "Mr Lowe has a key",
		"Heute war das Treffen für Gunther, und es waren so viele Leute da, im alten Haus": "Heute war das Treffen für Gunther",
		"well, that was a day": "",
		"Die Akten sind bei einer Frau Dr. Holm am Markt, die Oma und Opa beide nimmt.": "Die Akten sind bei einer Frau Dr. Holm am Markt",
		"Die Bücherei hat neue Regale, gelb gestrichen":                                 "Die Bücherei hat neue Regale",
	} {
		clause, _ := namingClause(sentence)
		require.Equal(t, want, clause)
	}
}

func TestFirstNames(t *testing.T) {
	for message, want := range map[string]string{
		"Hanna & Jo want the 5 July, right out on the pier":      "Hanna & Jo",
		"and a winter one came in: Siobhan and Petr, 6 December": "Siobhan and Petr",
		"the harbour people rang":                                "",
		"London was wet today":                                   "",
		"Python and Go are fine":                                 "",
		"Anna came by with her mum":                              "",
		"Anna said that my boss rang":                            "",
		"Anna was here, later Walter":                            "",
		"Can you explain what Walter did?":                       "",
		"walter rang at 9":                                       "walter",
		"walter and anna rang":                                   "",
		"Walter rang at 9":                                       "Walter",
		"Der Kuchen für Lena steht im Keller":                    "Lena",
	} {
		require.Equal(t, want, firstNames(message))
	}
}

func TestMayMean(t *testing.T) {
	for _, c := range []struct {
		sentence, name string
		want           bool
	}{
		{"told them 900 for the evening", "Hanna & Jo", true},
		{"told them 900 for the evening", "Anna", false},
		{"she starts in May", "Anna", true},
		{"she starts in May", "Walter", false},
		{"she starts in May", "Hanna & Jo", false},
		{"he starts in May", "Walter", true},
		{"he starts in May", "Anna", false},
		{"Sie wollen den 5. Juli", "Anna", false},
		{"Sie arbeitet nachts", "Anna", true},
		{"hes in the small size", "Walter", true},
		{"shes got both keys", "Walter", false},
		{"theyve moved it", "Hanna & Jo", true},
		{"We put him down in May", "Walter", true},
		{"su cumple es el 9 de mayo", "Ramiro", true},
		{"ya no va a tomar café", "Ramiro", true},
		{"ya no va a tomar café", "Hanna y Jo", false},
		{"a ella le presté el taladro", "Aurora", true},
		{"Herself has the key", "Anna", true},
		{"invoices there go to a man in accounts", "Anna", false},
	} {
		require.Equal(t, c.want, mayMean(c.sentence, c.name), c.sentence+" "+c.name)
	}
}

// What leans without dangling gets the name, too, but is not said in passing without one.
func TestTheMessageBeforeNamesWhoLeans(t *testing.T) {
	for sentence, named := range map[string]string{"We put him down in May, the old fool": "Walter", "ya no va a tomar café por la noche": "Ramiro", "hes on the early shift till may": "kyle", "We put him down after Easter": ""} {
		claims := make(map[int64]*ownClaim)
		c := message(claims, 2, sentence, sentence)[0]
		c.claim.Attributes, c.claim.Confidence, c.named = lasting, 0.5, named
		lines, _ := linesOf(claims, time.UTC, time.Time{}).All()
		want := sentence
		if named != "" {
			want = "(" + named + ") " + sentence
		}
		require.Equal(t, want, lines[0].Text)
		require.Equal(t, Said, lines[0].Group, sentence)
	}
}
