package recall

// derivedShare bounds the share of the first results, however many are looked
// at, that may be derived memories while turns are left: one of the first
// three, three of the first ten. A claim that is true now is worth a place; a
// dozen that say what the turns below say too are not worth theirs.
const derivedShare = 0.3

// ration moves derived items down to where they keep to their share. Turns
// and derived items each stay in order.
func ration[T any](items []T, derived func(*T) bool) []T {
	out := make([]T, 0, len(items))
	var waiting []T // derived items that were passed by
	taken := 0
	room := func() bool { return float64(taken) < derivedShare*float64(len(out)+1) }
	for i := range items {
		if derived(&items[i]) {
			waiting = append(waiting, items[i])
		} else {
			out = append(out, items[i])
		}
		for len(waiting) > 0 && room() {
			out = append(out, waiting[0])
			waiting = waiting[1:]
			taken++
		}
	}
	return append(out, waiting...)
}
