package text

import "strings"

// Hints are substrings that are searched for together, in one pass over a text. Case
// matters.
type Hints struct {
	pairs  [1 << 16 / 64]uint64 // of first bytes of a hint, a bit each
	byPair map[uint16][]string  // hints by their first two bytes
}

// NewHints returns the hints of a list. Each has two bytes or more.
func NewHints(list ...string) *Hints {
	h := &Hints{byPair: make(map[uint16][]string)}
	for _, hint := range list {
		pair := uint16(hint[0])<<8 | uint16(hint[1])
		h.pairs[pair/64] |= 1 << (pair % 64)
		h.byPair[pair] = append(h.byPair[pair], hint)
	}
	return h
}

// In reports whether s contains one of them.
func (h *Hints) In(s string) bool {
	for i := 1; i < len(s); i++ {
		pair := uint16(s[i-1])<<8 | uint16(s[i])
		if h.pairs[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, hint := range h.byPair[pair] {
			if strings.HasPrefix(s[i-1:], hint) {
				return true
			}
		}
	}
	return false
}
