package recall

import (
	"testing"

	"github.com/stretchr/testify/require"

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
