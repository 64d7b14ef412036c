package vector

import (
	"math"
	"math/bits"

	"github.com/ebbmem/ebb/internal/quickselect"
)

// largest returns the places of the n largest sums, in order of place. Of equal
// sums the first places win.
func largest(sums []uint16, n int) []uint32 {
	if n = min(n, len(sums)); n == 0 {
		return nil
	}
	found := atLeast(sums, sampledFloor(sums, n), 2*n)
	if len(found) < n { // the sample was not representative
		found = atLeast(sums, 0, len(sums))
	}
	ordered := make([]rankedSum, len(found))
	copy(ordered, found)
	least := quickselect.NthLargest(ordered, n)
	places := make([]uint32, 0, n)
	for _, f := range found {
		if f >= least {
			places = append(places, f.place())
		}
	}
	return places
}

// rankedSum is a sum in the upper half and the complement of its place in the
// lower, so that of equal sums the first place is the largest.
type rankedSum uint64

func (r rankedSum) place() uint32 { return ^uint32(r) }

// maxSum bounds a sum: atLeast compares four at a time and uses the highest bit
// of each.
const maxSum = math.MaxInt16

// atLeast lists the sums that are not below floor, in order of place. expected
// is about how many there are.
func atLeast(sums []uint16, floor uint16, expected int) []rankedSum {
	const (
		each    = 1 | 1<<16 | 1<<32 | 1<<48
		highest = each << 15
	)
	found := make([]rankedSum, 0, expected)
	at := uint32(0)
	for ; int(at)+4 <= len(sums); at += 4 {
		s := (*[4]uint16)(sums[at:])
		four := uint64(s[0]) | uint64(s[1])<<16 | uint64(s[2])<<32 | uint64(s[3])<<48
		for reach := ((four | highest) - uint64(floor)*each) & highest; reach != 0; reach &= reach - 1 {
			i := uint32(bits.TrailingZeros64(reach)) / 16
			found = append(found, rankedSum(s[i])<<32|rankedSum(^(at+i)))
		}
	}
	for ; int(at) < len(sums); at++ {
		if sums[at] >= floor {
			found = append(found, rankedSum(sums[at])<<32|rankedSum(^at))
		}
	}
	return found
}

// sampledFloor estimates from a sample the value that about 2n sums reach. It
// returns 0 when there are too few sums to be worth a sample.
func sampledFloor(sums []uint16, n int) uint16 {
	const above = 32 // sums of the sample that reach it; 16 would do
	step := 2 * n / above
	if step < 8 || len(sums) < 8*n {
		return 0
	}
	sample := make([]uint16, 0, len(sums)/step+1)
	for at := 0; at < len(sums); at += step {
		sample = append(sample, sums[at])
	}
	return quickselect.NthLargest(sample, above)
}
