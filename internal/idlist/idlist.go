// Package idlist stores many row ids in four bytes each.
package idlist

import (
	"cmp"
	"slices"
	"sort"
)

// List is a list of row ids. Consecutive ids mostly share their upper halves, so it
// stores the lower ones. The zero value is empty.
type List struct {
	lower []uint32
	upper []upperHalf // nearly always one
}

// upperHalf is the upper half of the ids from a place on.
type upperHalf struct {
	from int
	bits int64 // of an id whose lower half is 0
}

func (l *List) Len() int { return len(l.lower) }
func (l *List) Cap() int { return cap(l.lower) }

func (l *List) Add(id int64) {
	lower := uint32(id)
	bits := id - int64(lower)
	if n := len(l.upper); n == 0 || l.upper[n-1].bits != bits {
		l.upper = append(l.upper, upperHalf{len(l.lower), bits})
	}
	l.lower = append(l.lower, lower)
}

// At returns the id at a place, from 0. It panics if there is none.
func (l *List) At(place int) int64 {
	half := len(l.upper) - 1
	if half > 0 {
		half = sort.Search(half, func(i int) bool { return l.upper[i+1].from > place })
	}
	return l.upper[half].bits + int64(l.lower[place])
}

// Find looks up the first place of an id in an ascending list.
func (l *List) Find(id int64) (int, bool) {
	return sort.Find(l.Len(), func(i int) int { return cmp.Compare(id, l.At(i)) })
}

// Grow makes room for n more ids, see [Grow].
func (l *List) Grow(n int) { l.lower = Grow(l.lower, n) }

// Clip gives back the room that is not used.
func (l *List) Clip() { l.lower = slices.Clone(l.lower) }

// Grow returns list with capacity for n more values. [slices.Grow] would clear the
// memory in one step that the garbage collector cannot interrupt, and every search
// waits for the collector: the 51 MB of 50,000 vectors took 0.1 s. Memory from make
// is cleared in steps, or by the operating system on first use.
func Grow[E any](list []E, n int) []E {
	if cap(list)-len(list) >= n {
		return list
	}
	return append(make([]E, 0, len(list)+n), list...)
}
