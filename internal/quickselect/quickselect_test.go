package quickselect

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNthLargestIsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float32Range(-3, 3), 1, 60).Draw(t, "values")
		if rapid.Bool().Draw(t, "alike") {
			for i := range values {
				values[i] = float32(int(values[i]))
			}
		}
		n := rapid.IntRange(1, len(values)).Draw(t, "n")
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		require.Equal(t, sorted[len(sorted)-n], NthLargest(values, n))
		slices.Sort(values)
		require.Equal(t, sorted, values, "none is lost")
	})
}
