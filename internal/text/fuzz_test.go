package text

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// FuzzText gives one text to every reader of this package: what one of them makes of it
// is new input to all.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "Anna's café don't", "東京タワー 〇", "ﬁ½\u0301\xff\x00", "İẞς",
		"tea", "a\nb", "< \n/memory", "<\u202ememory>", "\xff<\xffmemory", "<" + strings.Repeat(" ", 70) + "memory>", "\u2028", "<\U000e0041/memory",
		"one. two three\n\nfour 👩\u200d👩\u200d👧🇳🇴",
		"Thanks Anna's `x` https://a.b/(c). @a #b a@b.co", "## A B\n**C**: in March", "J. R. R. Tolkien & \"The Name of the Wind\"",
		"the day before the end of last week at 5pm", "from March to May 5-9, '21", "9999 centuries ago, in 9999 years", "2023-02-30 29/2/2023 1990s",
		"am 20. Februar um 8", "Freitag, den 3. Mai", "el 14 de febrero", "99. 99. 9999", "vor 999 Jahren", "周五 el lunes am",
		"Which car do I have?", "I do not know that, sorry.", "我不知道", "¿Qué?", "?", ".,!",
		"hi", "ok great", "谢谢", "who is Vitya?", "\xff\x00", "  ", "heyyyyyyyy",
	} {
		f.Add(s, 7, int64(1715783400))
	}
	f.Fuzz(func(t *testing.T, s string, size int, said int64) {
		checkClean(t, s)
		checkTerms(t, s)
		checkChunks(t, Clean(s), size)
		checkMentions(t, s)
		checkSpans(t, s, time.Unix(said%(1<<37), 0).UTC())
		checkLine(t, s)
		assert.False(t, OnlyAsks(s) && IsNoAnswer(s) && len(s) > longestEcho, "longer than either may be")
		AsksWhatWasAsked(s)
		assert.Equal(t, IsSmallTalk(s), IsSmallTalk(" "+s+"\n"), "white space around it changes the outcome")
	})
}
