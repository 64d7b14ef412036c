package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSectionsHaveHeadings(t *testing.T) {
	got := Sections("intro\r\n\n# Title #\n\n## A\n\none\n\ntwo\n```\n# no heading\n```\n### A.1\ndeep\n## B\n\n---\n\n## C\n#not one\n", 900)
	require.Equal(t, []Section{
		{nil, "intro", 1},
		{[]string{"Title", "A"}, "one\n\ntwo\n```\n# no heading\n```", 7},
		{[]string{"Title", "A", "A.1"}, "deep", 14},
		{[]string{"Title", "C"}, "#not one", 20},
	}, got)
	long := Sections("# T\n"+strings.Repeat("A sentence of words. ", 100)+"\n\nlast", 200)
	for _, s := range long {
		require.LessOrEqual(t, utf8.RuneCountInString(s.Text), 200)
		require.Equal(t, []string{"T"}, s.Headings)
	}
	require.True(t, strings.HasSuffix(long[0].Text, "words."), "cut after a sentence: %q", long[0].Text)
	require.Contains(t, long[len(long)-1].Text, "last")
	same := Sections("same\n\nsame\n\n\nsame", 5)
	require.Equal(t, []int{1, 3, 6}, []int{same[0].Line, same[1].Line, same[2].Line})
}

// Every letter stands in one part, in order.
func TestSectionsLoseNothing(t *testing.T) {
	letters := func(s string) string {
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		markdown := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"word", "Ünï", "\n\n", "\nline", "猫", ". ", "~~~\n"}), 0, 60).Draw(t, "text"), " ")
		size := rapid.IntRange(1, 40).Draw(t, "size")
		var held strings.Builder
		for _, s := range Sections(markdown, size) {
			require.LessOrEqual(t, utf8.RuneCountInString(s.Text), size)
			held.WriteString(s.Text)
		}
		require.Equal(t, letters(Clean(markdown)), letters(held.String()))
	})
}
