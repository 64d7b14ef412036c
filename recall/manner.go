package recall

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// manner holds properties of a text as written: the number of names, in the two
// lowest bits, and whether it states anything.
type manner uint8

const (
	onlyAsks manner = 4 << iota // it asks, and states nothing
	noAnswer                    // it says that it has no answer
)

// mannerOf computes the manner of a text.
func mannerOf(content []byte) manner {
	how := manner(namesIn(content))
	if len(content) > longestEcho {
		return how
	}
	switch said := string(content); {
	case text.OnlyAsks(said):
		how |= onlyAsks
	case text.IsNoAnswer(said):
		how |= noAnswer
	}
	return how
}

// longestEcho is the length, in bytes, of texts that may be echoes.
const longestEcho = 300

func (how manner) names() uint8 { return uint8(how & nameCap) }

// nameCap is the most names that are counted in a text.
const nameCap = 3

// namesIn counts capitalised words inside sentences, up to nameCap. Most of them are
// names.
func namesIn(content []byte) (names uint8) {
	inside := false // a sentence
	for word := range bytes.FieldsSeq(content) {
		first := rune(word[0])
		if first >= utf8.RuneSelf {
			first, _ = utf8.DecodeRune(word)
		}
		if inside && unicode.IsUpper(first) && !isI(word) {
			if names++; names == nameCap {
				return names
			}
		}
		last := word[len(word)-1]
		inside = last != '.' && last != '!' && last != '?'
	}
	return names
}

// isI reports "I" and its short forms.
func isI(word []byte) bool {
	return word[0] == 'I' && (len(word) == 1 || word[1] == '\'' || bytes.HasPrefix(word[1:], []byte("’")))
}
