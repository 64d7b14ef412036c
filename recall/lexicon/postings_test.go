package lexicon

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNewestIsTheEndOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunks := rapid.SliceOfDistinct(rapid.Uint32Range(0, 1<<22), rapid.ID).Draw(t, "chunks")
		slices.Sort(chunks)
		var p Postings
		for _, chunk := range chunks {
			p.Add(chunk, 1)
		}
		n := rapid.IntRange(0, len(chunks)+1).Draw(t, "n")
		want := slices.Clone(chunks[max(0, len(chunks)-n):])
		slices.Reverse(want)
		require.Equal(t, want, slices.AppendSeq([]uint32{}, p.Newest(n)))
	})
}
