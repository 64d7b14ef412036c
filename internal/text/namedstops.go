package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// namedStops returns the stop words that a text uses as names, folded: those with a capital in
// mid-sentence ("which Go version", "does Will like it"), and "go" before "version" or a version. Not so what
// people write with a capital anyway, the first word of a name ("La Paz"), and a text with most of
// its words in capitals.
func namedStops(s string) (named map[string]bool) {
	name := func(word string) {
		if named == nil {
			named = make(map[string]bool)
		}
		named[word] = true
	}
	for _, at := range goVersion.FindAllStringIndex(s, -1) {
		if at[0] == 0 || !isWordByte(s[at[0]-1]) {
			name("go")
		}
	}
	if strings.IndexFunc(s, unicode.IsUpper) < 0 {
		return named
	}
	var found []string
	capitals, others, held, inside := 0, 0, "", false
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			switch {
			case strings.ContainsRune(".!?:;¿¡…\n•*#>|。！？：；", r):
				inside = inside && r == '.' && at+1 < len(s) && !unicode.IsSpace(rune(s[at+1])) // of a number or a path
				held = ""
			case r == '-' && at+1 < len(s) && s[at+1] == ' ':
				inside, held = false, ""
			case !unicode.IsSpace(r):
				held = ""
			}
			at += size
			continue
		}
		end := len(s)
		if n := strings.IndexFunc(s[at:], func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !isApostrophe(r)
		}); n >= 0 {
			end = at + n
		}
		word := s[at:end]
		if unicode.IsUpper(r) {
			capitals++
			if held != "" {
				found = found[:len(found)-1] // "La Paz"
			}
			held = ""
			if folded := foldedWord(word); inside && stopWords[folded] && !withCapital[folded] {
				found, held = append(found, folded), folded
			}
		} else {
			others++
			held = ""
		}
		inside = true
		at = end
	}
	if capitals <= others {
		for _, word := range found {
			name(word)
		}
	}
	return named
}

// foldedWord returns the word that a scan makes of one, before it is stemmed.
func foldedWord(s string) (folded string) {
	scan(s, func(word []byte, _ string) { folded = string(word) })
	return folded
}

func isWordByte(c byte) bool { return c >= utf8.RuneSelf || asciiKind[c] != 0 || c == '\'' }

// goVersion matches "go 1.25" and "go version".
var goVersion = regexp.MustCompile(`(?i)go (?:versions?\b|v?\d+\.\d)`)

// withCapital are stop words that are written with a capital anywhere, folded: "I", and what German
// writes so to be polite; and those whose names ("US", "IT", "WHO") are lost among the texts that
// hold the word itself, and "May", which is read as a time.
var withCapital = WordSet(`i im ive id ill sie ihnen ihr ihre ihren ihrem ihrer ihres du dich dir dein deine ok oh
	usted ya no us it who may a d s t`)
