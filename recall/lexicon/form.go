package lexicon

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Form holds properties of a text as written: the number of names, in the two
// lowest bits, and whether it states anything.
type Form uint8

const (
	OnlyAsks  Form = 4 << iota // it asks, and states nothing
	NoAnswer                   // it says that it has no answer
	Instructs                  // it is a standing instruction; see [isInstruction]
)

// FormOf computes the form of a text.
func FormOf(content []byte) Form {
	form := Form(namesIn(content))
	if len(content) > longestEcho {
		return form
	}
	switch said := string(content); {
	case isInstruction(said):
		form |= Instructs
	case text.OnlyAsks(said):
		form |= OnlyAsks
	case text.IsNoAnswer(said):
		form |= NoAnswer
	}
	return form
}

// Forms computes the forms of memories by the chunks that hold them. It reads a
// memory's text once although it may have several chunks, which follow each other.
type Forms struct {
	known  bool
	memory int64
	form   Form
}

// Of returns the form of the memory of the next chunk.
func (m *Forms) Of(memory int64, content []byte) Form {
	if !m.known || m.memory != memory {
		m.known, m.memory, m.form = true, memory, FormOf(content)
	}
	return m.form
}

// longestEcho is the length, in bytes, of texts that may be echoes or instructions.
const longestEcho = 300

// Names is the number of names in the text, at most [NameCap].
func (form Form) Names() uint8 { return uint8(form & NameCap) }

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
