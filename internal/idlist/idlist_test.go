package idlist

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// someID is mostly near others, as rows are, and may be anything.
var someID = rapid.OneOf(rapid.Int64Range(1, 50), rapid.Int64Range(1<<32-20, 1<<32+20), rapid.Int64Range(5<<32-20, 5<<32+20), rapid.Int64())

func TestIDsAreKeptWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(someID).Draw(t, "ids")
		if rapid.Bool().Draw(t, "ascending") {
			slices.Sort(ids)
		}
		var l List
		for _, id := range ids {
			l.Add(id)
		}
		require.Equal(t, len(ids), l.Len())
		for i, id := range ids {
			require.Equal(t, id, l.At(i))
		}
		if slices.IsSorted(ids) {
			for _, id := range append(ids, someID.Draw(t, "other")) {
				place, known := l.Find(id)
				want, there := slices.BinarySearch(ids, id)
				require.Equal(t, want, place)
				require.Equal(t, there, known)
			}
		}
	})
}
