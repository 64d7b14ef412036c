package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// JSON is v as one line of JSON for a model to read as data: <, > and & are
// escaped, and so is what cannot be seen, such as characters without width,
// overrides of the direction, tags and private use. Read back, it is the same.
//
// v must be something that can be encoded: strings, numbers, and what is made of
// them.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // those can always be encoded
	}
	return escapeUnseen(string(b))
}

func escapeUnseen(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	runes := []rune(s)
	for i, r := range runes {
		if seen(runes, i) {
			b.WriteRune(r)
			continue
		}
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x7F {
			return false
		}
	}
	return true
}

// seen reports a character that leaves a mark, or that joins its neighbours as
// some scripts and pictures need it.
func seen(runes []rune, i int) bool {
	r := runes[i]
	switch {
	case r < 0x7F:
		return true
	case r == '\u200C' || r == '\u200D': // joiners
		return i > 0 && i+1 < len(runes) && takesJoiner(runes[i-1]) && takesJoiner(runes[i+1])
	case r == '\uFE0E' || r == '\uFE0F': // how a picture is drawn
		return i > 0 && runes[i-1] >= 0x203C && unicode.In(runes[i-1], unicode.So, unicode.Sm, unicode.Po, unicode.Sk)
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return false
	}
	return true
}

// takesJoiner reports letters of scripts that use joiners, and pictures.
func takesJoiner(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada, unicode.Malayalam,
		unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu, unicode.Khmer, unicode.Syriac, unicode.Mongolian, unicode.So) ||
		r == '\uFE0F' || r >= 0x1F3FB && r <= 0x1F3FF || r == '\u2640' || r == '\u2642'
}
