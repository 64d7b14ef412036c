package quickselect

import (
	"cmp"
	"slices"
)

// NthLargest returns the n-th largest value, n from 1 to len(values). It changes
// the order of values. Each pivot has the rank in a sample that is looked for (Floyd and
// Rivest 1975, SELECT), so that most values are compared once.
func NthLargest[T cmp.Ordered](values []T, n int) T {
	from, to, want := 0, len(values)-1, n-1
	var space [32]T
	for from < to {
		sample := space[:0]
		for i, step := from, (to-from)/len(space)+1; i <= to; i += step {
			sample = append(sample, values[i])
		}
		slices.Sort(sample)
		pivot := sample[len(sample)-1-(want-from)*len(sample)/(to-from+1)]
		i, j := from, to
		for i <= j {
			for values[i] > pivot {
				i++
			}
			for values[j] < pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			to = j
		case want >= i:
			from = i
		default:
			return values[want]
		}
	}
	return values[want]
}
