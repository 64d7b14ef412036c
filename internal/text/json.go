package text

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// JSON encodes v as one line of JSON that a model reads as data. It escapes <, >
// and &, and invisible characters: zero-width characters, direction overrides,
// tags and private use. Decoding yields the original text.
//
// v must be encodable: strings, numbers, and values composed of them.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // such values can always be encoded
	}
	return escapeInvisible(string(b))
}

func escapeInvisible(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	runes := []rune(s)
	for i, r := range runes {
		if visible(runes, i) {
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

// visible reports whether the character at i is visible, or joins its neighbours
// as some scripts and emoji require.
func visible(runes []rune, i int) bool {
	r := runes[i]
	switch {
	case r < 0x7F:
		return true
	case r == '\u200C' || r == '\u200D': // joiners
		return i > 0 && i+1 < len(runes) && takesJoiner(runes[i-1]) && takesJoiner(runes[i+1])
	case r == '\uFE0E' || r == '\uFE0F': // variation selectors of emoji
		return i > 0 && runes[i-1] >= 0x203C && unicode.In(runes[i-1], unicode.So, unicode.Sm, unicode.Po, unicode.Sk)
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return false
	}
	return true
}

// takesJoiner reports whether r is a letter of a script that uses joiners, or an
// emoji.
func takesJoiner(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada, unicode.Malayalam,
		unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu, unicode.Khmer, unicode.Syriac, unicode.Mongolian, unicode.So) ||
		r == '\uFE0F' || r >= 0x1F3FB && r <= 0x1F3FF || r == '\u2640' || r == '\u2642'
}
