package recall

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

// among lists the sums of at least so much, in order.
func among(sums []uint16, floor uint16, expected int) []likeness {
	found := make([]likeness, 0, expected)
	for at, sum := range sums {
		if sum >= floor {
			found = append(found, likeness(sum)<<32|likeness(^uint32(at)))
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
