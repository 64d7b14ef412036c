package recall

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// What a file may hold in place of a kind or a state matches nothing.
func TestUnknownKindsAndStates(t *testing.T) {
	require.Zero(t, bitOfKind("episodf"))
	require.Zero(t, bitOfState(""))
	seen := make(map[uint8]bool)
	for _, s := range states {
		bit := uint8(bitOfState(s))
		require.False(t, bit == 0 || seen[bit], s)
		seen[bit] = true
	}
}

// Ids in the file say how much is to come; damaged ones do not take all memory.
func TestExpectationsAreBounded(t *testing.T) {
	ix := newIndex()
	ix.expect(1 << 32)
	require.LessOrEqual(t, cap(ix.docs), maxExpected)
	set := newVectorSet(&vecstore.Generation{Dims: 2}, 10)
	set.reserve(1 << 40)
	require.LessOrEqual(t, set.ids.Cap(), maxExpected)
}

// A memory's text is looked at once, however many chunks it has: a text of a
// megabyte has a thousand, and looking at all of it for each took 20 seconds.
func TestTextIsInspectedOncePerMemory(t *testing.T) {
	content := bytes.Repeat([]byte("down by the old mill and the birches "), 30_000)
	var speaks manners
	for memory := range int64(3) {
		for chunk := range int64(1200) {
			c := schema.IndexedChunk{ID: memory<<20 | chunk, MemoryID: memory, Content: content}
			if chunk > 0 {
				c.Content = []byte("and Ada, and Bob, and Eve") // seen only by who looks again
			}
			require.Zero(t, speaks.of(&c).Names(), fmt.Sprint(memory, " ", chunk))
		}
	}
}
