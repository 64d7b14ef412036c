package poison

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/racing"
)

// patterns are all that texts are looked through with.
func patterns() []*prefilter.Regexp {
	all := []*prefilter.Regexp{audiences, orders, people, asked, foreignAudiences, foreignOrders, outright}
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
			found := p.Whole().FindAllString(s, -1)
			require.Equal(t, len(found) > 0, p.MatchString(s), "%s in %q", p.Whole(), s)
			for _, found := range found {
				matched++
				require.True(t, p.MayMatch(found), "%s needs more than %q", p.Whole(), found)
			}
		}
	}
	require.Greater(t, matched, 100)
}

func TestPatternsHaveKeys(t *testing.T) {
	passed, asked := 0, 0
	for _, p := range patterns() {
		require.False(t, p.MayMatch(""), "%.80s", p.Whole())
	}
	for _, b := range records[struct{ Text string }](t, corpus+"benign/utterances.jsonl") {
		for _, p := range patterns() {
			if asked++; p.MayMatch(look(b.Text).plain) {
				passed++
			}
		}
	}
	require.Less(t, 5*passed, asked, "most honest texts lack what is needed")
}
