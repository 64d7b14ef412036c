package prefilter

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever is put together of pieces of expressions and of texts.
func TestPatternEqualsExpression(t *testing.T) {
	pieces := []string{"a", "ab", "abc", "abcd", "keep", "keeps", "memory", "é", "記憶", " ", "K", "ſ", "Σ", "ς", "É"}
	rapid.Check(t, func(t *rapid.T) {
		var expr func(depth int) string
		expr = func(depth int) string {
			kind := rapid.IntRange(0, 9).Draw(t, "kind")
			if depth == 0 {
				kind = 0
			}
			switch kind {
			case 1, 2:
				return "(?:" + expr(depth-1) + "|" + expr(depth-1) + ")"
			case 3, 4:
				return expr(depth-1) + expr(depth-1)
			case 5:
				return "(" + expr(depth-1) + ")" + rapid.SampledFrom([]string{"?", "*", "+", "{0,2}", "{2}", "{1,3}"}).Draw(t, "times")
			case 6:
				return rapid.SampledFrom([]string{`\b`, "^", "$", ".", ".{0,3}", `\w*`, "[bk]", "[a-z]", "(?i:KEEPS)", "(?i:é?σ)", "(?i)", "[^a]"}).Draw(t, "any")
			}
			return rapid.SampledFrom(pieces).Draw(t, "text")
		}
		e := expr(4)
		p, plain := New(e), regexp.MustCompile(e)
		both, other := New(e, "b+"), regexp.MustCompile("b+")
		for range 8 {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "parts"), "")
			require.Equal(t, plain.MatchString(s), p.MatchString(s), "%q in %q", e, s)
			require.Equal(t, plain.MatchString(s) || other.MatchString(s), both.MatchString(s), "%q in %q", e, s)
			require.Equal(t, plain.FindStringSubmatchIndex(s), p.FindStringSubmatchIndex(s), "%q in %q", e, s)
			require.Equal(t, plain.ReplaceAllString(s, "-"), p.ReplaceAllString(s, "-"), "%q in %q", e, s)
		}
	})
}
