package prompt

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/text"
)

func TestExcerpt(t *testing.T) {
	talk := strings.Repeat("The ferry was late again. ", 12) + "We took the bus. Then Noor's wedding is on the ninth of May. Bring a coat. " + strings.Repeat("It rained all week. ", 12)
	for name, c := range map[string]struct {
		text, question string
		most           int
		want           string
	}{
		"it fits":            {"We took the bus.\nIt was late.", "bus", 20, "We took the bus. / It was late."},
		"what is asked for":  {talk, "When is Noor's wedding?", 24, "… We took the bus. Then Noor's wedding is on the ninth of May. Bring a coat. …"},
		"nothing is in it":   {talk, "allergies", 24, "The ferry was late again. The ferry was late again. The ferry was late again. …"},
		"without a question": {talk, "", 12, "The ferry was late again. …"},
		"two places":         {"Noor is my sister. " + strings.Repeat("It rained. ", 30) + "Her wedding is in May.", "Noor wedding", 20, "Noor is my sister. It rained. … It rained. Her wedding is in May."},
		"in Chinese":         {strings.Repeat("今天下雨了。", 20) + "我对花生过敏。" + strings.Repeat("今天下雨了。", 20), "花生", 16, "… 今天下雨了。 我对花生过敏。 …"},
	} {
		got, cut := Excerpt(c.text, text.QueryTerms(c.question, 0), c.most)
		require.Equal(t, c.want, got, name)
		require.Equal(t, name != "it fits", cut, name)
	}
}

func TestExcerptIsBoundedAndOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-z]{1,9}[ .!?\n]{1,2}){0,80}`), rapid.Just(strings.Repeat("x", 900))).Draw(t, "text")
		terms := text.QueryTerms(rapid.StringMatching(`([a-z]{1,9} ){0,4}`).Draw(t, "question"), 0)
		most := rapid.IntRange(4, 120).Draw(t, "most")
		got, cut := Excerpt(s, terms, most)
		require.LessOrEqual(t, text.Tokens(got), most)
		require.Equal(t, text.Line(got), got)
		if !cut {
			require.Equal(t, text.Line(s), got)
		}
	})
}

// Of a long text only the beginning is read, whose cost does not grow with the text.
func TestExcerptOfALongTextReadsItsBeginning(t *testing.T) {
	allocated := func(size int) uint64 {
		s := strings.Repeat("The harbour of Ghent\nhas many boats. ", size/37)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, cut := Excerpt(s, []string{"boat"}, 50)
		runtime.ReadMemStats(&after)
		require.True(t, cut)
		return after.TotalAlloc - before.TotalAlloc
	}
	require.Less(t, allocated(16*maxRead), 2*allocated(2*maxRead))
	blank, cut := Excerpt("Boats."+strings.Repeat(" ", 2*maxRead)+"The end.", nil, 50)
	require.True(t, cut, "what was not read may say something")
	require.Contains(t, blank, "Boats.")
}
