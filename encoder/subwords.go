package encoder

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"unicode/utf8"
)

// wordPiece splits a word greedily: it takes the longest vocabulary entry at the start,
// then the longest at the next position, and so on.
type wordPiece struct {
	vocab    map[string]int32
	prefix   string // prefix of entries inside a word: "##"
	maxChars int    // words with more characters are unknown
	unknown  int32  // id of the unknown token; -1 if there is none

	longest int // length of the longest entry, in bytes
}

func (w *wordPiece) measure() {
	for entry := range w.vocab {
		w.longest = max(w.longest, len(entry))
	}
}

func (w *wordPiece) appendTo(ids []int32, word string, _ int) []int32 {
	known := len(ids)
	if utf8.RuneCountInString(word) > w.maxChars {
		return w.appendUnknown(ids)
	}
	inside := make([]byte, 0, 64)
	for rest := word; rest != ""; {
		found, n := int32(-1), min(len(rest), w.longest)
		for ; n > 0; n-- {
			if n < len(rest) && !utf8.RuneStart(rest[n]) {
				continue
			}
			var id int32
			var ok bool
			if len(rest) == len(word) {
				id, ok = w.vocab[rest[:n]]
			} else {
				inside = append(append(inside[:0], w.prefix...), rest[:n]...)
				id, ok = w.vocab[string(inside)]
			}
			if ok {
				found = id
				break
			}
		}
		if found < 0 {
			return w.appendUnknown(ids[:known])
		}
		ids, rest = append(ids, found), rest[n:]
	}
	return ids
}

func (w *wordPiece) appendUnknown(ids []int32) []int32 {
	if w.unknown < 0 {
		return ids
	}
	return append(ids, w.unknown)
}

// unigram splits a text into the most probable sequence of entries (SentencePiece).
type unigram struct {
	entries []unigramEntry
	byPiece []int32 // ids of entries, sorted by piece
	unknown int32   // id of the unknown token; -1 if there is none
	penalty float64 // score of an unknown character
}

func newUnigram(entries []unigramEntry, unknown int32) *unigram {
	u := &unigram{entries: entries, unknown: unknown}
	lowest := math.Inf(1)
	for i, e := range entries {
		lowest = min(lowest, e.score)
		if e.piece != "" {
			u.byPiece = append(u.byPiece, int32(i))
		}
	}
	u.penalty = lowest - 10
	slices.SortFunc(u.byPiece, func(a, b int32) int { return cmp.Compare(entries[a].piece, entries[b].piece) })
	return u
}

func (u *unigram) appendTo(ids []int32, text string, _ int) []int32 {
	type node struct {
		from  int32 // where the best last entry begins; -1: not reached
		entry int32 // its number
		score float64
	}
	best := make([]node, len(text)+1)
	for i := range best {
		best[i].from = -1
	}
	best[0] = node{}
	reach := func(from, to int, entry int32, score float64) {
		if n := &best[to]; n.from < 0 || score > n.score {
			*n = node{int32(from), entry, score}
		}
	}
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		single := false
		u.prefixes(text[at:], func(entry int32) {
			length := len(u.entries[entry].piece)
			reach(at, at+length, entry, best[at].score+u.entries[entry].score)
			single = single || length == size
		})
		if !single {
			reach(at, at+size, u.unknown, best[at].score+u.penalty)
		}
		at += size
	}
	start := len(ids)
	for at := len(text); at > 0; at = int(best[at].from) {
		ids = append(ids, best[at].entry)
	}
	slices.Reverse(ids[start:])
	// Adjacent unknown characters become one unknown token.
	kept, last := ids[:start], int32(-1)
	for _, id := range ids[start:] {
		if id != u.unknown || id >= 0 && id != last {
			kept = append(kept, id)
		}
		last = id
	}
	return kept
}

// prefixes calls found for each entry that text begins with, shortest first.
func (u *unigram) prefixes(text string, found func(entry int32)) {
	piece := func(i int) string { return u.entries[u.byPiece[i]].piece }
	low, high := 0, len(u.byPiece)
	for n := 1; n <= len(text) && low < high; n++ {
		b := text[n-1]
		low += sort.Search(high-low, func(i int) bool { p := piece(low + i); return len(p) >= n && p[n-1] >= b })
		high = low + sort.Search(high-low, func(i int) bool { return piece(low + i)[n-1] > b })
		if low < high && len(piece(low)) == n {
			found(u.byPiece[low])
			for low < high && len(piece(low)) == n { // the same piece twice
				low++
			}
		}
	}
}
