package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	nameCard      = "payment-card"
	minCardDigits = 14
	maxCardDigits = 19
)

// group is a run of digits.
type group struct {
	from, to int
	dotted   bool // joined to the group before by a mark that other numbers have too
}

// findCards visits the numbers of payment cards. It checks a network's range and
// length, the Luhn digit, and the printed grouping.
func findCards(s string, visit func(from, to int)) {
	digitGroups(s, func(groups []group) {
		for i := 0; i < len(groups); {
			n := 0
			if !afterPoint(s, groups[i].from) {
				n = cardAt(s, groups[i:])
			}
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
		joined, dotted := false, false
		if len(groups) > 0 {
			joined, dotted = join(s[groups[len(groups)-1].to:from])
		}
		if !joined {
			flush()
		}
		if !endsNumber(s, i) || !startsNumber(s, from) && !dotted && !afterNetwork(s, from) {
			flush()
			continue
		}
		groups = append(groups, group{from, i, dotted})
	}
	flush()
}

// join reports whether a gap joins two groups of a card number, and whether it is
// one that joins decimals, dates and columns as well.
func join(gap string) (joined, dotted bool) {
	switch gap {
	case ".", "/", "\t":
		return true, true
	case " ", "-", "\n", "\r\n", "  ", " - ":
		return true, false
	}
	sign := strings.TrimSuffix(strings.TrimPrefix(gap, " "), " ")
	r, n := utf8.DecodeRuneInString(sign)
	return n > 1 && n == len(sign) && (unicode.In(r, unicode.Zs, unicode.Pd) || r == '−' || r == 'ー'), false
}

// afterNetwork reports whether the name of a network is before digits, as in
// VISA4111111111111111.
func afterNetwork(s string, from int) bool {
	begin := from
	for begin > 0 && from-begin < 12 && alnum[s[begin-1]] {
		begin--
	}
	switch strings.ToLower(s[begin:from]) {
	case "visa", "mastercard", "mc", "amex", "discover", "card", "cc":
		return true
	}
	return false
}

func freestanding(s string, from, to int) bool {
	return startsNumber(s, from) && endsNumber(s, to)
}

func startsNumber(s string, from int) bool {
	return startsWord(s, from) && (from == 0 || s[from-1] != '_' && s[from-1] != replaced && !afterPoint(s, from))
}

func endsNumber(s string, to int) bool {
	return to == len(s) || !word[s[to]] && s[to] != replaced
}

// afterPoint reports whether digits and a full stop are before from.
func afterPoint(s string, from int) bool {
	return from > 1 && s[from-1] == '.' && s[from-2]-'0' < 10
}

// cardAt returns how many of the groups, from the first, form a card number; 0 for
// none.
func cardAt(s string, groups []group) int {
	var digits [maxCardDigits]byte
	n, singles, dotted := 0, true, false
	for i, g := range groups {
		size := g.to - g.from
		if n+size > maxCardDigits {
			return 0
		}
		n += copy(digits[n:], s[g.from:g.to])
		singles, dotted = singles && size == 1, dotted || i > 0 && g.dotted
		if n < minCardDigits || !isCard(digits[:n]) {
			continue
		}
		// Single digits must not be followed by a further single digit.
		if i == 0 || printed(groups[:i+1], n) && !(dotted && i < 2) || !dotted && singles && (i+1 == len(groups) || groups[i+1].to-groups[i+1].from > 1) {
			return i + 1
		}
	}
	return 0
}

// printed reports whether groups have a layout of printed cards: fours with a
// rest, some of them run together, 4-6-5, 4-6-4, or a first part and the rest.
func printed(groups []group, n int) bool {
	size := func(i int) int { return groups[i].to - groups[i].from }
	switch {
	case len(groups) == 3 && size(0) == 4 && size(1) == 6:
		return size(2) == 5 || size(2) == 4
	case len(groups) == 2 && (size(0) == 4 && n-4 >= 10 || size(0) == 6):
		return true
	}
	for i := range len(groups) - 1 {
		if size(i)%4 != 0 {
			return false
		}
	}
	last := size(len(groups) - 1)
	return last <= 4 || last == 8
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
