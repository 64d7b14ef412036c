package lexicon

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever comes after what, chunks say what was said and know their documents.
func TestChunksKeepText(t *testing.T) {
	someTerm := rapid.OneOf(rapid.Uint32Range(0, 200), rapid.Uint32Range(16_000, 17_000), rapid.Uint32Range(0, math.MaxUint32))
	rapid.Check(t, func(t *rapid.T) {
		var c Chunks
		var docs, firsts []uint32
		var said [][]uint32
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			doc, pieces := uint32(len(firsts)), 1
			switch rapid.IntRange(0, 9).Draw(t, "of") {
			case 0: // any
				doc = rapid.Uint32Range(0, doc).Draw(t, "doc")
			case 1: // one of many chunks
				pieces = rapid.IntRange(2, 150).Draw(t, "pieces")
			}
			if doc == uint32(len(firsts)) {
				firsts = append(firsts, uint32(len(docs)))
			}
			terms := rapid.SliceOfN(someTerm, 0, 20).Draw(t, "terms")
			for range pieces {
				docs, said = append(docs, doc), append(said, terms)
				c.Add(doc, terms)
			}
		}
		require.Equal(t, len(docs), c.Len())
		for at := range uint32(c.Len()) {
			require.Equal(t, docs[at], c.Doc(at))
			require.Equal(t, append([]uint32{7}, said[at]...), c.Terms([]uint32{7}, at))
			require.EqualValues(t, len(said[at]), c.Lengths[at])
		}
		for doc, first := range firsts {
			require.Equal(t, first, c.First(uint32(doc)))
		}
	})
}
