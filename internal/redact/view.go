package redact

import (
	"strings"
	"unicode/utf8"
)

// view is a normalised text with a mapping to offsets in the original.
type view struct {
	text  string
	whole string // the original
	at    []int  // offset of each byte of text in the original, and its length; nil when they are equal
}

func (v view) original(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

// originalEnd returns the end in the original of a match that ends before i. It
// excludes characters omitted after the match.
func (v view) originalEnd(i int) int {
	if v.at == nil || i == 0 {
		return i
	}
	last := v.at[i-1]
	if v.whole[last] == '%' && v.text[i-1] != '%' { // it was escaped
		return last + 3
	}
	if !utf8.RuneStart(v.whole[last]) {
		return last + 1
	}
	_, n := utf8.DecodeRuneInString(v.whole[last:])
	return last + n
}

// replaced represents a placeholder in a view, so that no rule matches inside it.
const replaced = 0

// dress are the first bytes of invisible characters, full-width letters and the
// digits of other scripts.
var dress = alphabetOf("\x00\xc2\xcd\xd8\xd9\xdb\xe1\xe2\xef\xf3")

// disguised reports whether a text has one of the bytes in dress.
func disguised(s string) bool {
	for i := range len(s) {
		if dress[s[i]] {
			return true
		}
	}
	return false
}

// plainView removes invisible characters, replaces full-width letters and Arabic
// digits by ASCII, and a placeholder by one byte.
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
		case invisible(r):
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
		case r >= 0x660 && r <= 0x669 || r >= 0x6f0 && r <= 0x6f9: // Arabic-Indic digits, and the Persian ones
			b.WriteByte(byte('0' + r&0xf))
			at = append(at, i)
			changed = true
		case r == 0xa0 || r == 0x202f || r == 0x2007: // no-break spaces
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

// invisible reports whether r is a formatting character without width.
func invisible(r rune) bool {
	switch {
	case r == 0, r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff,
		r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe01ef, r >= 0x17b4 && r <= 0x17b5:
		return true
	}
	return false
}

// joinedView removes line breaks inside what looks like a token wrapped by a
// terminal or a mail program; ok is false when there are none.
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

// unescapedView decodes the percent-encoding of URLs (RFC 3986); ok is false when
// there is none.
func unescapedView(v view) (unescaped view, ok bool) {
	i := strings.IndexByte(v.text, '%')
	if i < 0 {
		return view{}, false
	}
	var b strings.Builder
	var at []int
	for last := 0; ; {
		c, ok := escapedAt(v.text, i)
		if ok && at == nil {
			b.Grow(len(v.text))
			at = make([]int, 0, len(v.text)+1)
		}
		if ok {
			b.WriteString(v.text[last:i])
			for k := last; k <= i; k++ {
				at = append(at, v.original(k))
			}
			b.WriteByte(c)
			last = i + 3
			i += 2
		}
		next := strings.IndexByte(v.text[i+1:], '%')
		if next >= 0 {
			i += 1 + next
			continue
		}
		if at == nil {
			return view{}, false
		}
		b.WriteString(v.text[last:])
		for k := last; k <= len(v.text); k++ {
			at = append(at, v.original(k))
		}
		return view{b.String(), v.whole, at}, true
	}
}

// escapedAt returns the byte that is percent-encoded at i. Invisible characters,
// other scripts and the percent sign itself stay encoded.
func escapedAt(s string, i int) (c byte, ok bool) {
	if i+2 >= len(s) || !hexes[s[i+1]] || !hexes[s[i+2]] {
		return 0, false
	}
	c = unhex(s[i+1])<<4 | unhex(s[i+2])
	return c, c == '\n' || c >= ' ' && c <= '~' && c != '%'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

func tokenByte(c byte) bool {
	return c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' || c == '+' || c == '/' || c == '=' || c == '.'
}

// continuesToken distinguishes the rest of a token from the first word of a line.
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
