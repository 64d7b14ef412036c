package lexicon

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Manner holds properties of a text as written: the number of names, in the two
// lowest bits, and whether it states anything.
type Manner uint8

const (
	OnlyAsks  Manner = 4 << iota // it asks, and states nothing
	NoAnswer                     // it says that it has no answer
	Instructs                    // it is a standing instruction; see [isInstruction]
)

// MannerOf computes the manner of a text.
func MannerOf(content []byte) Manner {
	how := Manner(namesIn(content))
	if len(content) > longestEcho {
		return how
	}
	switch said := string(content); {
	case isInstruction(said):
		how |= Instructs
	case text.OnlyAsks(said):
		how |= OnlyAsks
	case text.IsNoAnswer(said):
		how |= NoAnswer
	}
	return how
}

// Manners computes the manners of memories by the chunks that hold them. It reads a
// memory's text once although it may have several chunks, which follow each other.
type Manners struct {
	known  bool
	memory int64
	how    Manner
}

// Of returns the manner of the memory of the next chunk.
func (m *Manners) Of(memory int64, content []byte) Manner {
	if !m.known || m.memory != memory {
		m.known, m.memory, m.how = true, memory, MannerOf(content)
	}
	return m.how
}

// longestEcho is the length, in bytes, of texts that may be echoes or instructions.
const longestEcho = 300

// Names is the number of names in the text, at most [NameCap].
func (how Manner) Names() uint8 { return uint8(how & NameCap) }

// NameCap is the most names that are counted in a text.
const NameCap = 3

// namesIn counts capitalised words inside sentences, up to NameCap. Most of them are
// names.
func namesIn(content []byte) (names uint8) {
	inside := false // a sentence
	for word := range bytes.FieldsSeq(content) {
		first := rune(word[0])
		if first >= utf8.RuneSelf {
			first, _ = utf8.DecodeRune(word)
		}
		if inside && unicode.IsUpper(first) && !isI(word) {
			if names++; names == NameCap {
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
