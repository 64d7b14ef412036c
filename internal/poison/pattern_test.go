package poison

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/racing"
)

// patterns are all that texts are looked through with.
func patterns() []*pattern {
	all := []*pattern{audiences, orders, people, asked, foreignAudiences, foreignOrders, outright}
	for _, r := range slices.Concat(written, allForms()) {
		all = append(all, r.pattern)
	}
	return all
}

// allForms are the forms in the words of all tongues.
func allForms() (all []rule) {
	for i := range tongueRules {
		all = append(all, tongueRules[i]()...)
	}
	return all
}

// corpusTexts are those of the corpus, attacks and honest ones, as they are seen.
func corpusTexts(t *testing.T) (all []string) {
	t.Helper()
	paths, err := filepath.Glob(corpus + "attacks/*.jsonl")
	require.NoError(t, err)
	for _, path := range paths {
		for _, a := range records[attack](t, path) {
			for _, turn := range a.Turns {
				all = append(all, look(turn.Text).plain)
			}
		}
	}
	for _, file := range []string{"utterances", "tool_output"} {
		for _, b := range records[struct{ Text string }](t, corpus+"benign/"+file+".jsonl") {
			all = append(all, look(b.Text).plain)
		}
	}
	require.Greater(t, len(all), 1000)
	return all
}

func TestPatternKeysAreNecessary(t *testing.T) {
	racing.Alone(t)
	matched := 0
	for i, s := range corpusTexts(t) {
		if i%8 != 0 { // all of them take seconds
			continue
		}
		for _, p := range patterns() {
			found := p.whole().FindAllString(s, -1)
			require.Equal(t, len(found) > 0, p.MatchString(s), "%s in %q", p.whole(), s)
			for _, found := range found {
				matched++
				require.True(t, p.need.in(found), "%s needs more than %q", p.whole(), found)
			}
		}
	}
	require.Greater(t, matched, 100)
}

func TestPatternsHaveKeys(t *testing.T) {
	passed, asked := 0, 0
	for _, p := range patterns() {
		require.False(t, p.need.none(), "%.80s", p.whole())
	}
	for _, b := range records[struct{ Text string }](t, corpus+"benign/utterances.jsonl") {
		for _, p := range patterns() {
			if asked++; p.need.in(look(b.Text).plain) {
				passed++
			}
		}
	}
	require.Less(t, 5*passed, asked, "most honest texts lack what is needed")
}

// Whatever is put together of pieces of expressions and of texts.
func TestPatternEqualsExpression(t *testing.T) {
	pieces := []string{"a", "ab", "abc", "abcd", "keep", "keeps", "memory", "é", "記憶", " "}
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
				return rapid.SampledFrom([]string{`\b`, "^", "$", ".", ".{0,3}", `\w*`, "[bk]", "[a-z]", "(?i:KEEP)", "[^a]"}).Draw(t, "any")
			}
			return rapid.SampledFrom(pieces).Draw(t, "text")
		}
		e := expr(4)
		p, plain := compile(e), regexp.MustCompile(e)
		for range 8 {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "parts"), "")
			require.Equal(t, plain.MatchString(s), p.MatchString(s), "%q in %q", e, s)
		}
	})
}
