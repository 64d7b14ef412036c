package text

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ValidUTF8 returns b without invalid bytes, or b itself when there are none.
func ValidUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, nil)
}

// Clean makes text storable: NUL and invalid UTF-8 are removed, line ends
// (CRLF and lone CR) become LF, and the rest is normalised to NFC. It is
// idempotent. SQLite's LIKE stops at a NUL where FTS5 reads on, so NUL must go
// before text is stored or hashed.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "")
	s = strings.ReplaceAll(s, "\x00", "")
	// A lone \r becomes \n too: otherwise \r\r\n would need two passes.
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return norm.NFC.String(s)
}

// plain reports whether s is ASCII that Clean returns unchanged.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == 0 || c == '\r' {
			return false
		}
	}
	return true
}

var id = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// IsID reports whether s has the form of a memory's public id.
func IsID(s string) bool { return id.MatchString(s) }
