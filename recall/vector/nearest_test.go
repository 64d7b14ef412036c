package vector

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLargestEqualsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sums := rapid.SliceOf(rapid.Uint16Range(0, 9)).Draw(t, "sums")
		n := rapid.IntRange(0, 25).Draw(t, "n")
		require.Equal(t, bySorting(sums, n), append([]uint32{}, largest(sums, n)...))
	})
}

// bySorting does the same by sorting all sums.
func bySorting(sums []uint16, n int) []uint32 {
	order := make([]uint32, len(sums))
	for at := range order {
		order[at] = uint32(at)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return int(sums[b]) - int(sums[a]) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}

// Many sums are filtered by a floor that a sample gives; the result is right even
// when the sample is not representative.
func TestLargestOfManySums(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for name, alike := range map[string]func(at int) bool{
		"evenly":          func(int) bool { return false },
		"in the sample":   func(at int) bool { return at%12 == 0 },
		"beside a sample": func(at int) bool { return at%12 == 1 },
	} {
		sums := make([]uint16, 7*4096)
		for at := range sums {
			if sums[at] = uint16(random.IntN(1000)); alike(at) {
				sums[at] = 2000
			}
		}
		require.Equal(t, bySorting(sums, 200), largest(sums, 200), name)
	}
}
