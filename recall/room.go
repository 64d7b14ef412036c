package recall

const maxExpected = 1 << 20

// withRoom is the list with room for n more, as [slices.Grow] makes it. That
// clears the room in one go which nothing can interrupt, the collector neither,
// which every search waits for: the 51 MB of 50,000 vectors took a tenth of a
// second. What make returns is cleared in steps, or by the operating system when
// it is first touched.
//
// How many are to come is concluded from ids in the file, which damage may have
// changed: more than maxExpected get their room as they come.
func withRoom[E any](list []E, n int) []E {
	if cap(list)-len(list) >= n {
		return list
	}
	return append(make([]E, 0, len(list)+n), list...)
}
