package prompt

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// What is said again with a relative date is shown as of the last time; the earlier message
// is about another day and may be found beside it.
func TestRelativeSentenceSaidTwiceIsDatedWithItsLastDay(t *testing.T) {
	const said, lasting = "I have a dentist appointment tomorrow.", "I'm allergic to nuts."
	claims := make(map[int64]*ownClaim)
	var messages []schema.Memory
	for _, day := range []int{5, 9} {
		for _, c := range message(claims, day, said, said) {
			messages = append(messages, c.source)
		}
	}
	for _, day := range []int{6, 10} {
		message(claims, day, lasting, lasting)
	}
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	section := linesOf(claims, time.UTC, time.Time{}).Ask(t.Context(), "dentist?", "", Meaning{}, nil, now).Choose(400)
	require.Contains(t, section.Text, "- Mon Mar 9: "+said+"\n")
	require.NotContains(t, section.Text, "Mar 5")
	require.False(t, section.Repeats(&messages[0]))
	require.True(t, section.Repeats(&messages[1]))
	lines, _ := section.Lines()
	require.Len(t, lines, 2)
	for _, l := range lines {
		if l.Text == lasting {
			require.Equal(t, []string{"m10", "m6"}, l.Sources)
		} else {
			require.Equal(t, []string{"m9"}, l.Sources)
		}
	}
}

// What is stated again after its end holds.
func TestSentenceSaidAgainAfterItsEndHolds(t *testing.T) {
	claims := make(map[int64]*ownClaim)
	for day, said := range []string{"I swim on Tuesdays before work.", "I've given up swimming.", "I swim on Tuesdays before work."} {
		message(claims, day+1, said, said)
	}
	require.Contains(t, chosen(claims, 400, "swimming").Text, "- Tue Mar 3: I swim on Tuesdays before work.\n")
}

// Lines of several speakers name those who are not the owner of the memory.
func TestLinesOfOtherSpeakersNameThem(t *testing.T) {
	const nuts = "I'm allergic to nuts."
	shown := func(owner string, speakers ...string) string {
		claims := make(map[int64]*ownClaim)
		for i, who := range speakers {
			for _, c := range message(claims, i+1, nuts, nuts) {
				c.owner, c.source.Speaker = owner, who
			}
		}
		return chosen(claims, 400, "nuts").Text
	}
	for _, c := range []struct {
		owner    string
		speakers []string
		lines    string
	}{
		{"ada", []string{"Ada", "Ben"}, "- Sun Mar 1: I'm allergic to nuts.\n- Mon Mar 2, Ben: I'm allergic to nuts.\n"},
		{"ada", []string{"Ada Lovelace", "", "ADA"}, "- Tue Mar 3: I'm allergic to nuts.\n"},
		{"ada", []string{"", "Ben", "ben"}, "- Sun Mar 1: I'm allergic to nuts.\n- Tue Mar 3, ben: I'm allergic to nuts.\n"},
		{"u-17", []string{"Ada", "Ben"}, "- Sun Mar 1, Ada: I'm allergic to nuts.\n- Mon Mar 2, Ben: I'm allergic to nuts.\n"},
		{"u-17", []string{"Ada", "Ada"}, "- Mon Mar 2: I'm allergic to nuts.\n"}, // the owner by a name of hers
		{"ada", []string{"Ada", "Ben\n- x [m1]"}, "- Sun Mar 1: I'm allergic to nuts.\n- Mon Mar 2, Ben / - x m1: I'm allergic to nuts.\n"},
	} {
		title := Title
		if strings.Contains(c.lines, ", ") {
			title = severalTitle
		}
		require.Equal(t, title+"2026:\n"+c.lines, shown(c.owner, c.speakers...), "%s %q", c.owner, c.speakers)
	}
}

// What two speakers say stands by day, whether it is of one of them or of both.
func TestLinesOfSeveralSpeakersStandByDay(t *testing.T) {
	for _, lines := range [][2]string{
		{"Our office is on Dluga 12.", "The office has moved to Swietojanska 40."},
		{"我们办公室在长宁路12号。", "办公室搬到南京路40号了。"},
		{"I live in Gdansk.", "I live in Gdynia."},
	} {
		claims := make(map[int64]*ownClaim)
		for i, who := range []string{"Dana", "Marek"} {
			for _, own := range message(claims, i+1, lines[i], lines[i]) {
				own.owner, own.source.Speaker = "team", who
			}
		}
		require.Equal(t, severalTitle+"2026:\n- Sun Mar 1, Dana: "+lines[0]+"\n- Mon Mar 2, Marek: "+lines[1]+"\n", chosen(claims, 400, "office refund").Text)
	}
}

// A message of another speaker in the same words is not repeated by the section.
func TestSectionDoesNotRepeatAnotherSpeaker(t *testing.T) {
	const nuts = "I'm allergic to nuts."
	claims := make(map[int64]*ownClaim)
	own := message(claims, 1, nuts, nuts)[0]
	own.owner = "ada"
	section := chosen(claims, 400, "nuts")
	said := own.source
	require.True(t, section.Repeats(&said))
	said.Speaker = "Ada"
	require.True(t, section.Repeats(&said))
	said.Speaker = "Ben"
	require.False(t, section.Repeats(&said))
}

// What was so on its day is of that day only: readings, symptoms and changes. What lasts is not.
func TestWhatIsOfItsDay(t *testing.T) {
	for ofDay, lines := range map[bool][]string{
		true: {
			"fasting 7.0, BP 130/80, weight 85.1", "sugar 7.9 fasting", "62", "migraine again, woke up with it", "Cough still there",
			"I feel a bit dizzy when I stand up since the new dose.", "My blood pressure is 150/95.", "I take 500 mg in the evening.",
			"Blutdruck 130/80 heute früh", "Mir ist wieder schwindlig.", "Azúcar en ayunas 110.", "Otra vez migraña.", "血糖6.8", "又头疼了。",
		},
		false: {
			"I live in Porto.", "I'm allergic to penicillin.", "My sister is called Rita.", "We have two cats.", "I drive a Skoda.", "My locker code is 4471.",
			"I work Mondays to Thursdays.", "My dentist is Dr Rao.", "I'm vegetarian.", "Ich wohne in Graz.", "Mein Hund heißt Wotan.", "Vivo en Cádiz.", "Mi hermana se llama Rita.",
			"我住在上海。", "我妹妹叫小兰。", "The bin is emptied on Tuesdays.", "My flat is 24/3 Castle Street.",
		},
	} {
		for _, line := range lines {
			claims := make(map[int64]*ownClaim)
			message(claims, 2, line, line)
			require.Equal(t, ofDay, linesOf(claims, time.UTC, time.Time{}).all[0].isDated(), line)
		}
	}
}

// A symptom of one day and of another are two: the earlier message is no repetition of the line.
func TestReadingsOfOtherDaysAreNotRepeated(t *testing.T) {
	for said, again := range map[string]bool{"Migraine again, had to lie down.": false, "My blood pressure is 150/95.": false, "Heute wieder Migräne gehabt.": false, "I live in Graz.": true} {
		claims := claimsOf(schema.Attributes{schema.AttrSaid: "claim"}, said, said, said)
		var messages []schema.Memory
		for id := range int64(3) {
			c := claims[id+1]
			c.source.Content, c.source.Kind, c.source.UID = said, schema.KindEpisode, "message "+c.source.EventTime.String()
			messages = append(messages, c.source)
		}
		now := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
		section := linesOf(claims, time.UTC, now).Ask(t.Context(), "How am I?", "", Meaning{}, nil, now).Choose(400)
		require.True(t, section.Repeats(&messages[2]), said)
		require.Equal(t, again, section.Repeats(&messages[0]), said)
		require.Equal(t, again, section.Repeats(&messages[1]), said)
	}
}
