package extension

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// A year of somebody who uses the assistant as a log: bare readings among everyday messages, a
// correction, somebody else's reading, and one that she takes back.
func TestReadingsOfALog(t *testing.T) {
	l := newDiary(t)
	day := func(n int) string { return time.Date(2026, 3, 2+n, 0, 0, 0, 0, time.UTC).Format("Jan 2 2006") }
	for _, said := range []string{
		"My knee brace came, the blue one.", // 1
		"132/86, pulse 70. First blood pressure of many, the nurse wants them every few days.",
		"And 71.8 on the bathroom scale, with socks on.",
		"128/85 before work",
		"My allotment is plot 12, behind the church.",
		"139/84", // 6
		"Oops, I misread yesterday's on the cuff, it was 129/84.",
		"71.2 !!",
		"Rowed 5.4 km on the lake with Wanda, flat as glass",
		"My brother Igor tried the cuff for fun, he's 118/72",
		"126/83 :)", // 11
		"70.9 this morning",
		"17*23",
		"70.9 this morning",
		"131/85, coffee number three", // 15
		"Mum: 151/90, I called the surgery.",
		"The dentist is Dr. Solberg in the Strandgata.",
		"124/82", // 18
	} {
		l.says(said)
	}
	ask := func(question string) string {
		s, err := l.x.Session(dora)
		require.NoError(t, err)
		found, err := s.Preview(t.Context(), question)
		require.NoError(t, err)
		return found.Block
	}
	pressure := ": 124/82 (earlier: 132/86 " + day(2) + ", 128/85 Mar 6, 129/84 Mar 8, 126/83 Mar 13, 131/85 Mar 17)\n"
	require.Contains(t, ask("What's my latest blood pressure?"), pressure)
	require.Contains(t, ask("What do I weigh now?"), "- Mon Mar 16: 70.9 this morning (earlier: 71.8 "+day(3)+", 71.2 Mar 10, 70.9 Mar 14)\n", "two days in the same words")
	require.NotContains(t, ask("What's my latest blood pressure?"), "- 139/84", "it was corrected")

	for i := range 60 {
		l.says(fmt.Sprintf("I bought seedling number %d for the allotment.", i))
	}
	l.says("122/80 hooray")
	text := ask("What's my latest blood pressure?")
	require.Contains(t, text, ": 122/80 hooray (earlier: 132/86")
	require.Contains(t, ask("What was my blood pressure on 13 March?"), "126/83 Mar 13")

	l.says("Forget the 124/82, that was Wanda's arm.")
	if text := ask("What's my latest blood pressure?"); !strings.Contains(text, "124/82, that") {
		require.NotContains(t, text, "124/82")
	}
	l.says("119/78", eventbus.Speaker("Wanda"))
	require.Contains(t, ask("What's my latest blood pressure?"), ": 122/80 hooray", "another speaker's is of no series of hers")
}
