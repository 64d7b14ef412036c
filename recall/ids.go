package recall

import (
	"cmp"
	"sort"
)

// idList lists row ids in four bytes each: the upper halves of ids that follow
// one another are mostly the same.
type idList struct {
	lower []uint32
	upper []upperHalf // nearly always one
}

// upperHalf is that of the ids from a place on.
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

// find looks up the first place of an id in a list that ascends.
func (l *idList) find(id int64) (int, bool) {
	return sort.Find(l.len(), func(i int) int { return cmp.Compare(id, l.at(i)) })
}
