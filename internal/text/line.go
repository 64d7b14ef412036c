package text

import (
	"regexp"
	"strings"
	"unicode"
)

// lineBreak replaces a line break in a [Line].
const lineBreak = " / "

// Line returns s as one line that a model reads as data. Line breaks become
// " / " and other white space becomes one space. Invisible characters (controls,
// zero-width characters, direction overrides, tags, private use) are removed. A
// "<" that could begin a tag becomes "‹", so that no text opens or closes a fence
// or holds a special token of a model. Line is idempotent.
func Line(s string) string {
	if plainLine(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	for range 4 { // removing a character can make two others adjacent
		line := oneLine(s)
		if plainLine(line) {
			return line
		}
		if line == s {
			break
		}
		s = line
	}
	return tagStart.ReplaceAllString(s, "‹$1")
}

// tagStart matches the beginning of a tag, but not "a < b", "<3", "<=" or "<-".
var tagStart = regexp.MustCompile(`(?i)<( ?/? ?memory|[^ 0-9=<‹-])`)

func oneLine(s string) string {
	runes := []rune(s)
	var b strings.Builder
	b.Grow(len(s))
	space, broken := false, false
	for i, r := range runes {
		switch {
		case breaksLine(r):
			broken = true
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsControl(r) || !visible(runes, i):
			continue
		}
		switch {
		case b.Len() == 0:
		case broken:
			b.WriteString(lineBreak)
		case space:
			b.WriteByte(' ')
		}
		space, broken = false, false
		b.WriteRune(r)
	}
	return b.String()
}

// plainLine reports whether s is printable ASCII that Line returns unchanged.
func plainLine(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c >= 0x7f || c == '<':
			return false
		case c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' '):
			return false
		}
	}
	return true
}

func breaksLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
