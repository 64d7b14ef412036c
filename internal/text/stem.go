package text

import (
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// Stemming costs about a microsecond a word and people repeat their words, so
// stems are remembered in a direct-mapped table: no lock, bounded memory, and a
// collision merely overwrites. Conversations take some 15,000 different words:
// in a table of that size one word in fourteen had been driven out.
const (
	stemSlots   = 1 << 16
	maxStemmed  = 32 // bytes; longer "words" are keys, hashes and noise
	fnvOffset32 = 2166136261
	fnvPrime32  = 16777619
)

type stemEntry struct{ word, stem string }

var stems [stemSlots]atomic.Pointer[stemEntry]

// stem gives the term of a folded word: its Porter2 stem if it is made of ASCII
// letters, otherwise the word itself.
func stem(w []byte) string {
	if len(w) > maxStemmed {
		return string(w)
	}
	h := uint32(fnvOffset32)
	for _, c := range w {
		h = (h ^ uint32(c)) * fnvPrime32
	}
	slot := &stems[(h^h>>16)%stemSlots]
	if e := slot.Load(); e != nil && e.word == string(w) {
		return e.stem
	}
	word := string(w)
	e := &stemEntry{word: word, stem: word}
	if isLowerLetters(w) {
		if s := english.Stem(word, true); s != "" {
			e.stem = s
		}
	}
	slot.Store(e)
	return e.stem
}

func isLowerLetters(w []byte) bool {
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
