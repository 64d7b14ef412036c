package recall

import (
	"math"
	"math/bits"
)

// nearest returns the places of the n largest sums, in order; of those as large
// as the last of them, the first.
func nearest(sums []uint16, n int) []uint32 {
	if n = min(n, len(sums)); n == 0 {
		return nil
	}
	found := among(sums, floor(sums, n), 2*n)
	if len(found) < n { // the sample was unlike the rest
		found = among(sums, 0, len(sums))
	}
	ordered := make([]likeness, len(found))
	copy(ordered, found)
	least := nthLargest(ordered, n)
	places := make([]uint32, 0, n)
	for _, f := range found {
		if f >= least {
			places = append(places, f.at())
		}
	}
	return places
}

// likeness is a sum and its place, so that the largest is the first of the
// largest sums.
type likeness uint64

func (l likeness) at() uint32 { return ^uint32(l) }

// mostSum is what a sum is at most: among compares four at a time and needs the
// highest bit of each.
const mostSum = math.MaxInt16

// among lists the sums of at least so much, in order.
func among(sums []uint16, floor uint16, expected int) []likeness {
	const (
		each    = 1 | 1<<16 | 1<<32 | 1<<48
		highest = each << 15
	)
	found := make([]likeness, 0, expected)
	at := uint32(0)
	for ; int(at)+4 <= len(sums); at += 4 {
		s := (*[4]uint16)(sums[at:])
		four := uint64(s[0]) | uint64(s[1])<<16 | uint64(s[2])<<32 | uint64(s[3])<<48
		for reach := ((four | highest) - uint64(floor)*each) & highest; reach != 0; reach &= reach - 1 {
			i := uint32(bits.TrailingZeros64(reach)) / 16
			found = append(found, likeness(s[i])<<32|likeness(^(at+i)))
		}
	}
	for ; int(at) < len(sums); at++ {
		if sums[at] >= floor {
			found = append(found, likeness(sums[at])<<32|likeness(^at))
		}
	}
	return found
}

// floor is what about 2n sums reach, judged by a sample; 0 where there are few.
func floor(sums []uint16, n int) uint16 {
	const within = 32 // of the sample; half as many would do
	step := 2 * n / within
	if step < 8 || len(sums) < 8*n {
		return 0
	}
	sample := make([]uint16, 0, len(sums)/step+1)
	for at := 0; at < len(sums); at += step {
		sample = append(sample, sums[at])
	}
	return nthLargest(sample, within)
}
