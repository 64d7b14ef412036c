package text

import (
	"strings"
	"unicode"
)

// FirstLine is the beginning of a text in at most most characters, "…"
// included, cut after a word where there is one in its second half. A text
// that fits is returned as it is.
func FirstLine(s string, most int) (line string, cut bool) {
	if whole := []rune(s); len(whole) <= most {
		return s, false
	}
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) <= most {
		return string(runes), false
	}
	at := most - 1
	for at > 1 && unicode.IsMark(runes[at]) { // not inside a character
		at--
	}
	for i := at; i > at/2; i-- {
		if runes[i] == ' ' {
			at = i
			break
		}
	}
	return strings.TrimRight(string(runes[:at]), " ,;:–—-") + "…", true
}
