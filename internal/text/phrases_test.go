package text

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPhrases(t *testing.T) {
	known := slices.Concat(Phrases("Help me word a note to Ann"), Phrases("three words only"))
	require.Len(t, known, 4)
	common := func(p uint64) bool { return slices.Contains(known, p) }
	for s, want := range map[string]float64{
		"":                           0,
		"help me word":               0,
		"help me, word a":            1,
		"HELP me word a note to Eve": 6.0 / 7,
		"word a note to nobody, help me word a song": 8.0 / 10,
	} {
		require.InDelta(t, want, PhraseShare(Phrases(s), common), 1e-12, s)
	}
}
