package recall

import (
	"cmp"
	"sort"
)

// idList stores row ids in four bytes each: consecutive ids mostly share their upper
// halves.
type idList struct {
	lower []uint32
	upper []upperHalf // nearly always one
}

// upperHalf is the upper half of the ids from a place on.
type upperHalf struct {
	from int
	bits int64 // of an id whose lower half is 0
}

func (l *idList) len() int { return len(l.lower) }

func (l *idList) add(id int64) {
	lower := uint32(id)
	bits := id - int64(lower)
	if n := len(l.upper); n == 0 || l.upper[n-1].bits != bits {
		l.upper = append(l.upper, upperHalf{len(l.lower), bits})
	}
	l.lower = append(l.lower, lower)
}

func (l *idList) at(place int) int64 {
	half := len(l.upper) - 1
	if half > 0 {
		half = sort.Search(half, func(i int) bool { return l.upper[i+1].from > place })
	}
	return l.upper[half].bits + int64(l.lower[place])
}

// find looks up the first place of an id in an ascending list.
func (l *idList) find(id int64) (int, bool) {
	return sort.Find(l.len(), func(i int) int { return cmp.Compare(id, l.at(i)) })
}

// maxExpected bounds how many values are reserved at once. The expected number comes
// from ids in the file, which damage may have changed.
const maxExpected = 1 << 20

// withRoom is list with capacity for n more values. [slices.Grow] would clear the
// memory in one step that the garbage collector cannot interrupt, and every search
// waits for the collector: the 51 MB of 50,000 vectors took 0.1 s. Memory from make
// is cleared in steps, or by the operating system on first use.
func withRoom[E any](list []E, n int) []E {
	if cap(list)-len(list) >= n {
		return list
	}
	return append(make([]E, 0, len(list)+n), list...)
}
