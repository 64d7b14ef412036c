package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the canonical form of a name for alias lookup: NFKC, lower case,
// diacritics removed, typographic apostrophes and hyphens made plain, and white
// space collapsed to single spaces. It is idempotent.
func Fold(s string) string {
	if isASCII(s) {
		return foldASCII(s)
	}
	// Removing a mark can make two other characters adjacent that compose. A
	// second pass composes them; it changes nothing in ordinary text.
	for range 4 {
		t := foldOnce(s)
		if t == s {
			break
		}
		s = t
	}
	return s
}

// foldASCII is Fold for ASCII, the common case.
func foldASCII(s string) string {
	folded := make([]byte, 0, len(s))
	gap := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			gap = len(folded) > 0
			continue
		case c < ' ' || c == 0x7f:
			continue
		case c == '`':
			c = '\''
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		if gap {
			folded = append(folded, ' ')
			gap = false
		}
		folded = append(folded, c)
	}
	return string(folded)
}

func foldOnce(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range norm.NFKC.String(s) {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
			continue
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || isJoiner(r): // invisible
			continue
		case isApostrophe(r):
			r = '\''
		case unicode.Is(unicode.Pd, r):
			r = '-'
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		if unicode.Is(unicode.Mn, r) {
			if !keepsMarks(b.String()) {
				continue
			}
			b.WriteRune(r)
			continue
		}
		writeFolded(&b, r)
	}
	return strings.TrimSpace(b.String())
}

// keepsMarks reports whether a combining mark after s carries meaning of its
// own (Indic and Thai vowel signs, kana voicing) rather than being an accent.
func keepsMarks(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r != utf8.RuneError && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic, unicode.Common, unicode.Inherited)
}

// runeSink receives folded runes.
type runeSink interface {
	WriteRune(rune) (int, error)
	WriteString(string) (int, error)
}

// unaccented maps letters that Unicode does not decompose to ASCII.
var unaccented = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d",
	'þ': "th", 'ħ': "h", 'ı': "i", 'ŧ': "t", 'ĸ': "k", 'ŋ': "n", 'ς': "σ", 'ё': "е",
}

// writeFolded writes r in lower case without its diacritics. Only Latin and
// Greek lose them: in kana (が/か), Hangul and Cyrillic (й/и) the mark makes
// another letter.
func writeFolded(w runeSink, r rune) {
	r = unicode.ToLower(r)
	if r < utf8.RuneSelf {
		w.WriteRune(r)
		return
	}
	if s, ok := unaccented[r]; ok {
		w.WriteString(s)
		return
	}
	if unicode.In(r, unicode.Latin, unicode.Greek) {
		var buf [utf8.UTFMax]byte
		n := utf8.EncodeRune(buf[:], r)
		if d := norm.NFD.Properties(buf[:n]).Decomposition(); d != nil {
			// The base letter comes first; it may need the table itself (ǿ).
			base, size := utf8.DecodeRune(d)
			if base != r && size > 0 {
				writeFolded(w, base)
				return
			}
		}
	}
	w.WriteRune(r)
}

// isApostrophe reports whether r is used as an apostrophe.
func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', 'ʻ', '`', '´', '′', '＇', '‛':
		return true
	}
	return false
}

// isJoiner reports whether r is an invisible character that may occur inside a
// word.
func isJoiner(r rune) bool {
	switch r {
	case '\u00ad', '\u200c', '\u200d', '\u2060', '\ufeff', '\u034f':
		return true
	}
	return false
}
