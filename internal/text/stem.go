package text

import (
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// Stemming takes about a microsecond a word and words repeat, so stems are cached
// in a direct-mapped table: no lock, bounded memory, and a collision merely
// overwrites. Conversations use some 15,000 different words; a table of that size
// lost one word in fourteen to collisions.
const (
	stemSlots   = 1 << 16
	maxStemmed  = 32 // bytes; longer "words" are keys, hashes and noise
	fnvOffset32 = 2166136261
	fnvPrime32  = 16777619
)

type stemEntry struct{ word, stem string }

var stems [stemSlots]atomic.Pointer[stemEntry]

// stem returns the term of a folded word: its Porter2 stem if it consists of
// ASCII letters, otherwise the word itself.
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
