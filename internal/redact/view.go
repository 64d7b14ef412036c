package redact

import (
	"strings"
	"unicode/utf8"
)

// view is a text as it is compared, with the way back to the original.
type view struct {
	text  string
	whole string // the original
	at    []int  // of each byte of text in the original, and its length; nil when they are the same
}

func (v view) original(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// originalEnd is where a match that ends before i ends in the original. What
// was left out behind its last byte stays.
func (v view) originalEnd(i int) int {
	if v.at == nil || i == 0 {
		return i
	}
	last := v.at[i-1]
	if !utf8.RuneStart(v.whole[last]) {
		return last + 1
	}
	_, n := utf8.DecodeRuneInString(v.whole[last:])
	return last + n
}

// replaced stands in a view for a placeholder, which is not looked into.
const replaced = 0

// disguised reports bytes that what cannot be seen begins with, or what is
// written in another width.
func disguised(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == 0 || c == 0xc2 || c == 0xcd || c == 0xd8 || c == 0xe1 || c == 0xe2 || c == 0xef || c == 0xf3 {
			return true
		}
	}
	return false
}

// plainView leaves out what cannot be seen, writes full-width letters and
// digits as plain ones, and a placeholder as one byte.
func plainView(s string) view {
	if !disguised(s) && !strings.Contains(s, placeholderStart) {
		return view{text: s, whole: s}
	}
	var b strings.Builder
	b.Grow(len(s))
	at := make([]int, 0, len(s)+1)
	changed := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unseen(r):
			changed = true
		case s[i] == '[' && placeholderAt(s[i:]) > 0:
			n = placeholderAt(s[i:])
			b.WriteByte(replaced)
			at = append(at, i)
			changed = true
		case r >= 0xff01 && r <= 0xff5e && r != '，' && r != '；' && r != '！' && r != '？': // full width
			b.WriteByte(byte(r - 0xff01 + '!'))
			at = append(at, i)
			changed = true
		case r == 0xa0 || r == 0x202f || r == 0x2007: // spaces that do not break
			b.WriteByte(' ')
			at = append(at, i)
			changed = true
		case r == 0x2010 || r == 0x2011: // hyphens
			b.WriteByte('-')
			at = append(at, i)
			changed = true
		default:
			b.WriteString(s[i : i+n])
			for k := range n {
				at = append(at, i+k)
			}
		}
		i += n
	}
	if !changed {
		return view{text: s, whole: s}
	}
	return view{b.String(), s, append(at, len(s))}
}

// unseen reports formatting characters that show nothing by themselves.
func unseen(r rune) bool {
	switch {
	case r == 0, r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff,
		r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe01ef, r >= 0x17b4 && r <= 0x17b5:
		return true
	}
	return false
}

// joinedView is a view without the line breaks that stand inside something
// that looks like a token wrapped by a terminal or a mail program; ok is false
// when there are none.
func joinedView(v view) (joined view, ok bool) {
	var cuts [][2]int
	for i := 1; i < len(v.text); i++ {
		nl := strings.IndexByte(v.text[i:], '\n')
		if nl < 0 {
			break
		}
		i += nl
		from, to := i, i+1
		if v.text[from-1] == '\r' {
			from--
		}
		if from > 0 && v.text[from-1] == '\\' { // a shell's continuation
			from--
		}
		for to < len(v.text) && (v.text[to] == ' ' || v.text[to] == '\t') {
			to++
		}
		if from > 0 && tokenByte(v.text[from-1]) && continuesToken(v.text[to:]) {
			cuts = append(cuts, [2]int{from, to})
		}
	}
	if len(cuts) == 0 {
		return view{}, false
	}
	var b strings.Builder
	var at []int
	last := 0
	keep := func(from, to int) {
		b.WriteString(v.text[from:to])
		for i := from; i < to; i++ {
			at = append(at, v.original(i))
		}
	}
	for _, cut := range cuts {
		keep(last, cut[0])
		last = cut[1]
	}
	keep(last, len(v.text))
	return view{b.String(), v.whole, append(at, v.original(len(v.text)))}, true
}

func tokenByte(c byte) bool {
	return c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' || c == '+' || c == '/' || c == '=' || c == '.'
}

// continuesToken tells the rest of a token from the first word of a line.
func continuesToken(s string) bool {
	var digit, letter, inner bool
	n := 0
	for n < len(s) && tokenByte(s[n]) {
		c := s[n]
		switch {
		case c-'0' < 10:
			digit = true
		case c >= 'A' && c <= 'Z':
			inner = inner || n > 0 && s[n-1] >= 'a' && s[n-1] <= 'z'
			letter = true
		case c >= 'a' && c <= 'z':
			letter = true
		}
		n++
	}
	return n >= 4 && (digit && letter || inner || n >= 16)
}
