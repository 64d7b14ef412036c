package recall

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// nearest returns the positions of the n codes most like the query, in order; of
// those as like as the last of them, the first.
func nearest(codes []uint64, query levels, n int) []uint32 {
	total := len(codes) / len(query)
	n = min(n, total)
	found := query.among(codes, query.reach(codes, n))
	if len(found) < n { // the sample was unlike the rest
		found = query.among(codes, math.MaxInt32)
	}
	positions := make([]uint32, 0, n)
	if n > 0 {
		ordered := make([]uint64, len(found))
		for i, f := range found {
			ordered[i] = ^uint64(f)
		}
		least := likeness(^nthLargest(ordered, n))
		for _, f := range found {
			if f <= least {
				positions = append(positions, f.at())
			}
		}
	}
	return positions
}

// likeness is how unlike a code is, and its position, so that the smallest is
// the first of the most alike.
type likeness uint64

func (l likeness) at() uint32 { return uint32(l) }

// among lists the codes that are at most so unlike, in order.
func (q levels) among(codes []uint64, unlike int) []likeness {
	const share = 1 << 17 // codes a goroutine is worth starting for
	each := share * len(q)
	parts := make([][]likeness, max(1, min(runtime.GOMAXPROCS(0), len(codes)/each)))
	each = (len(codes)/len(q) + len(parts) - 1) / len(parts)
	var wg sync.WaitGroup
	for i := range parts {
		look := func() { parts[i] = q.between(codes, i*each, min((i+1)*each, len(codes)/len(q)), unlike) }
		if i+1 < len(parts) {
			wg.Go(look)
		} else {
			look()
		}
	}
	wg.Wait()
	return slices.Concat(parts...)
}

func (q levels) between(codes []uint64, from, to, unlike int) (found []likeness) {
	for at := from; at < to; at++ {
		if d := q.unlike(codes[at*len(q) : (at+1)*len(q)]); d <= unlike {
			found = append(found, likeness(d)<<32|likeness(at))
		}
	}
	return found
}

// reach is within what about twice n codes are, judged by a sample; without
// bound where there are few.
func (q levels) reach(codes []uint64, n int) int {
	const within = 32 // of the sample; half as many would do
	step, total := 2*n/within, len(codes)/len(q)
	if step < 8 || total < 8*n {
		return math.MaxInt32
	}
	unlike := make([]int32, 0, total/step+1)
	for at := 0; at < total; at += step {
		unlike = append(unlike, -int32(q.unlike(codes[at*len(q):(at+1)*len(q)])))
	}
	return int(-nthLargest(unlike, within))
}
