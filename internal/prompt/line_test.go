package prompt

import (
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
	section := linesOf(claims, time.UTC).Ask(t.Context(), "dentist?", "", Meaning{}, nil, now).Choose(400)
	require.Contains(t, section.Text, "- "+said+" (said 2026-03-09)\n")
	require.NotContains(t, section.Text, "2026-03-05")
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
	require.Contains(t, chosen(claims, 400, "swimming").Text, "- I swim on Tuesdays before work.\n")
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
		{"ada", []string{"Ada", "Ben"}, "- I'm allergic to nuts.\n- Ben: I'm allergic to nuts.\n"},
		{"ada", []string{"Ada Lovelace", "", "ADA"}, "- I'm allergic to nuts.\n"},
		{"ada", []string{"", "Ben", "ben"}, "- I'm allergic to nuts.\n- ben: I'm allergic to nuts.\n"},
		{"u-17", []string{"Ada", "Ben"}, "- Ada: I'm allergic to nuts.\n- Ben: I'm allergic to nuts.\n"},
		{"u-17", []string{"Ada", "Ada"}, "- I'm allergic to nuts.\n"}, // the owner by a name of hers
		{"ada", []string{"Ada", "Ben\n- x [m1]"}, "- I'm allergic to nuts.\n- Ben / - x m1: I'm allergic to nuts.\n"},
	} {
		require.Equal(t, Title+c.lines, shown(c.owner, c.speakers...), "%s %q", c.owner, c.speakers)
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
