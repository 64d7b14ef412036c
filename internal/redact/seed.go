package redact

import (
	"crypto/sha256"
	_ "embed"
	"slices"
	"strings"
	"sync"
)

const nameSeed = "seed-phrase"

// seedList is the English word list of BIP-39, in order.
//
//go:embed bip39_english.txt
var seedList string

// seedWords is the word list for look-ups: a filter that passes all of its words
// and few others, and the index of each word.
type seedWords struct {
	filter  [1 << (filterBits - 6)]uint64
	numbers map[uint64]int
}

const filterBits = 15

var seedLookup = sync.OnceValue(func() *seedWords {
	l := &seedWords{numbers: make(map[uint64]int, 2048)}
	for word := range strings.FieldsSeq(seedList) {
		w := packed(word)
		l.filter[filterPlace(w)>>6] |= 1 << (filterPlace(w) & 63)
		l.numbers[w] = len(l.numbers)
	}
	return l
})

func filterPlace(w uint64) uint64 { return w * 0x9e3779b97f4a7c15 >> (64 - filterBits) }

// packed encodes a word of at most eight letters as one number, in lower case.
func packed(word string) (n uint64) {
	for i := range len(word) {
		n = n<<8 | uint64(word[i]|0x20)
	}
	return n
}

const (
	minSeedWord  = 3 // letters
	maxSeedWord  = 8
	minSeedBytes = 12*(minSeedWord+1) - 1
	maxSeedGap   = 12 // bytes between two words: "\n12. ", `", "`
)

// seedLengths are the valid numbers of words of a phrase.
var seedLengths = [...]int{24, 21, 18, 15, 12}

// seedGap are the bytes that may stand between two words, in a line, a column, a
// numbered list or an array.
var seedGap = alphabetOf(" \t\r\n,;|.:)*\"'0-9")

// letter contains ASCII letters and the bytes of other scripts, which do not end a
// word.
var letter = alphabetOf("A-Za-z\x80-\xff")

// findSeeds visits the seed phrases of wallets (BIP-39): a valid number of words
// of the list with the right checksum in the last one.
//
// A phrase that begins between start and the probed byte covers that byte. So it
// suffices to look up one word within the length of the shortest phrase, and most
// texts need nothing else.
func findSeeds(s string, visit func(from, to int)) {
	if len(s) < minSeedBytes {
		return
	}
	list := seedLookup()
	var words []seedWord
	for start := 0; start+minSeedBytes <= len(s); {
		probe := start + minSeedBytes - 1
		from := probe
		for from > start && probe-from <= maxSeedWord && letter[s[from-1]] {
			from--
		}
		if !letter[s[probe]] {
			from = afterGap(s, probe)
		}
		first, ok := seedAt(s, from, list)
		if !ok {
			start = probe + 1
			continue
		}
		// Go back to the first word of the run, then forward to its last.
		for {
			before, ok := seedBefore(s, first.from, start, list)
			if !ok {
				break
			}
			first = before
		}
		words = append(words[:0], first)
		for end := first.to; ; end = words[len(words)-1].to {
			gap := afterGap(s, end)
			next, ok := seedAt(s, gap, list)
			if !ok || gap == end {
				break
			}
			words = append(words, next)
		}
		visitPhrases(words, list, visit)
		start = max(probe+1, words[len(words)-1].to)
	}
}

// seedWord is a word that passed the filter, with its position.
type seedWord struct {
	from, to int
	packed   uint64
}

func seedAt(s string, from int, list *seedWords) (w seedWord, ok bool) {
	to := from
	for to < len(s) && to-from <= maxSeedWord && letter[s[to]] {
		to++
	}
	if to-from < minSeedWord || to-from > maxSeedWord || from > 0 && letter[s[from-1]] {
		return w, false
	}
	word := packed(s[from:to])
	bit := filterPlace(word)
	return seedWord{from, to, word}, list.filter[bit>>6]>>(bit&63)&1 == 1
}

// seedBefore returns the word before the gap that ends at from.
func seedBefore(s string, from, start int, list *seedWords) (w seedWord, ok bool) {
	end := from
	for end > start && from-end < maxSeedGap && seedGap[s[end-1]] {
		end--
	}
	begin := end
	for begin > start && end-begin <= maxSeedWord && letter[s[begin-1]] {
		begin--
	}
	if end == from || begin == end {
		return w, false
	}
	w, ok = seedAt(s, begin, list)
	return w, ok && w.to == end
}

// afterGap returns the end of the gap that begins at from.
func afterGap(s string, from int) int {
	to := from
	for to < len(s) && to-from < maxSeedGap && seedGap[s[to]] {
		to++
	}
	return to
}

// visitPhrases visits the phrases in a run of words.
func visitPhrases(words []seedWord, list *seedWords, visit func(from, to int)) {
	var numbers []int
	for i := 0; i+12 <= len(words); {
		if numbers == nil {
			for _, w := range words {
				number, ok := list.numbers[w.packed]
				if !ok {
					number = -1
				}
				numbers = append(numbers, number)
			}
		}
		n := phraseLength(numbers[i:])
		if n == 0 {
			i++
			continue
		}
		visit(words[i].from, words[i+n-1].to)
		i += n
	}
}

// phraseLength returns the number of words, from the first, of the longest phrase
// with a right checksum; 0 for none.
func phraseLength(numbers []int) int {
	for _, n := range seedLengths {
		if n <= len(numbers) && !repeats(numbers[:n]) && seedChecks(numbers[:n]) {
			return n
		}
	}
	return 0
}

// repeats reports whether a phrase repeats its words. The samples in wallets'
// manuals repeat all words but the last.
func repeats(numbers []int) bool {
	distinct, last := 0, 0
	for i, number := range numbers {
		if !slices.Contains(numbers[:i], number) {
			distinct++
		}
		if number == numbers[len(numbers)-1] {
			last++
		}
	}
	return 2*distinct < len(numbers) && last > 1
}

// seedChecks compares the last bits of a phrase, one for every three words, with
// the first bits of the hash of the rest. A word has 11 bits.
func seedChecks(numbers []int) bool {
	var bits [33]byte
	for i, number := range numbers {
		if number < 0 {
			return false
		}
		for k := range 11 {
			if number>>(10-k)&1 == 1 {
				at := 11*i + k
				bits[at/8] |= 0x80 >> (at % 8)
			}
		}
	}
	check := len(numbers) / 3
	entropy := (11*len(numbers) - check) / 8
	sum := sha256.Sum256(bits[:entropy])
	return (sum[0]^bits[entropy])>>(8-check) == 0
}
