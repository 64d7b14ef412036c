package redact

const (
	nameCard      = "payment-card"
	minCardDigits = 14
	maxCardDigits = 19
)

// group is a run of digits.
type group struct{ from, to int }

// findCards visits the numbers of payment cards. It checks a network's range and
// length, the Luhn digit, and the printed grouping.
func findCards(s string, visit func(from, to int)) {
	digitGroups(s, func(groups []group) {
		for i := 0; i < len(groups); {
			n := cardAt(s, groups[i:])
			if n == 0 {
				i++
				continue
			}
			visit(groups[i].from, groups[i+n-1].to)
			i += n
		}
	})
}

// digitGroups visits runs of digits joined by single separators. It skips a run
// that is part of a word or of a decimal number.
func digitGroups(s string, visit func([]group)) {
	var groups []group
	flush := func() {
		if len(groups) > 0 {
			visit(groups)
			groups = groups[:0]
		}
	}
	for i := 0; i < len(s); {
		if s[i]-'0' >= 10 {
			i++
			continue
		}
		from := i
		for i < len(s) && s[i]-'0' < 10 {
			i++
		}
		if !joined(s, groups, from) {
			flush()
		}
		if !freestanding(s, from, i) {
			flush()
			continue
		}
		groups = append(groups, group{from, i})
	}
	flush()
}

func joined(s string, groups []group, from int) bool {
	if len(groups) == 0 {
		return false
	}
	switch gap := s[groups[len(groups)-1].to:from]; gap {
	case " ", "-", "\n", "  ", " - ":
		return true
	}
	return false
}

func freestanding(s string, from, to int) bool {
	if !startsWord(s, from) || from > 0 && (s[from-1] == '_' || s[from-1] == replaced || s[from-1] == '.' && from > 1 && s[from-2]-'0' < 10) {
		return false
	}
	return to == len(s) || !word[s[to]] && s[to] != replaced
}

// cardAt returns how many of the groups, from the first, form a card number; 0 for
// none.
func cardAt(s string, groups []group) int {
	var digits [maxCardDigits]byte
	n, singles := 0, true
	for i, g := range groups {
		size := g.to - g.from
		if n+size > maxCardDigits {
			return 0
		}
		n += copy(digits[n:], s[g.from:g.to])
		singles = singles && size == 1
		if n < minCardDigits || !isCard(digits[:n]) {
			continue
		}
		// Single digits must not be followed by a further single digit.
		if i == 0 || printed(groups[:i+1], n) || singles && (i+1 == len(groups) || groups[i+1].to-groups[i+1].from > 1) {
			return i + 1
		}
	}
	return 0
}

// printed reports whether groups have a layout of printed cards: fours with a
// rest, 4-6-5, 4-6-4, or two halves.
func printed(groups []group, n int) bool {
	size := func(i int) int { return groups[i].to - groups[i].from }
	switch {
	case len(groups) == 3:
		return size(0) == 4 && size(1) == 6 && (size(2) == 5 || size(2) == 4)
	case len(groups) == 2:
		return size(0) == 8 && size(1) == 8 || size(0) == 4 && n-4 >= 10 || size(0) == 6
	}
	for i := range len(groups) - 1 {
		if size(i) != 4 {
			return false
		}
	}
	return size(len(groups)-1) <= 4
}

// network is a range of first digits and the lengths of its numbers.
type network struct {
	from, to int // of the first digits, as many as they have
	lengths  []int
}

// networks are the published issuer ranges of ISO/IEC 7812. They omit Visa's
// numbers of 13 digits, which are out of use and look like article numbers.
var networks = []network{
	{4, 4, []int{16, 19}},                                                                             // Visa
	{51, 55, []int{16}},                                                                               // Mastercard
	{2221, 2720, []int{16}},                                                                           // Mastercard
	{34, 34, []int{15}},                                                                               // American Express
	{37, 37, []int{15}},                                                                               // American Express
	{6011, 6011, []int{16, 19}},                                                                       // Discover
	{644, 649, []int{16, 19}},                                                                         // Discover
	{65, 65, []int{16, 19}},                                                                           // Discover
	{300, 305, []int{14}},                                                                             // Diners Club
	{36, 36, []int{14}},                                                                               // Diners Club
	{38, 39, []int{14}},                                                                               // Diners Club
	{3528, 3589, []int{16}},                                                                           // JCB
	{62, 62, []int{16, 17, 18, 19}},                                                                   // UnionPay
	{2200, 2204, []int{16}},                                                                           // Mir
	{5018, 5018, []int{16, 18, 19}}, {5020, 5020, []int{16, 18, 19}}, {5038, 5038, []int{16, 18, 19}}, // Maestro
	{6304, 6304, []int{16, 18, 19}}, {6759, 6759, []int{16, 18, 19}}, {6761, 6763, []int{16, 18, 19}}, // Maestro
}

func isCard(digits []byte) bool {
	for _, n := range networks {
		for _, length := range n.lengths {
			if length == len(digits) && inRange(digits, n) {
				return luhn(digits) && distinct(string(digits)) > 1
			}
		}
	}
	return false
}

func inRange(digits []byte, n network) bool {
	first := 0
	for i := 0; ; i++ {
		first = first*10 + int(digits[i]-'0')
		if first >= n.from || i == 3 {
			return first >= n.from && first <= n.to && length(first) == length(n.from)
		}
	}
}

func length(n int) (digits int) {
	for ; n > 0; n /= 10 {
		digits++
	}
	return digits
}

// luhn checks the last digit (ISO/IEC 7812-1, annex B).
func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
