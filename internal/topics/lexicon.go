package topics

import (
	_ "embed" // the lists
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"sync"
)

//go:generate go test -run TestCompiled -update

// topicList is the only list that is read as text when the program runs.
//
//go:embed topics.txt
var topicList string

// compiled holds the words; compile_test.go makes it of the lists.
//
//go:embed lexicon.bin
var compiled []byte

const (
	// maxTopics is the maximum number of topics in topics.txt. Codes from it on are
	// concepts.
	maxTopics = 128
	// maxCodes is the maximum number of topics and concepts.
	maxCodes = 4096
)

// kinship scales the similarities of topics in topics.txt.
const kinship = 0.7

// words is the content of the lists.
type words struct {
	kinds
	concepts     int // their number
	dictionaries [dictionaryCount]dictionary
	entries      []byte
	pairs        pairSet // that phrases begin with
}

// A text is read with two dictionaries, first that of the topics, then that of the
// concepts.
const (
	ofTopics = iota
	ofConcepts
	dictionaryCount
)

// A dictionary holds words with what they are about.
type dictionary struct {
	languages [languageCount]table
	han       []byte // lengths of the Chinese words by first character, from firstHan on, a bit each
}

// kinds is the content of topics.txt.
type kinds struct {
	names   []string
	weights [maxTopics]float64
	near    [maxTopics][maxTopics]float32
}

type language uint8

const (
	english language = iota
	german
	spanish
	chinese
	languageCount
)

var lexicon = sync.OnceValue(func() *words {
	l := new(words)
	l.readTopics(topicList)
	rest := compiled
	number := func() int {
		n := binary.LittleEndian.Uint32(rest)
		rest = rest[4:]
		return int(n)
	}
	part := func(n int) (b []byte) {
		b, rest = rest[:n], rest[n:]
		return b
	}
	l.concepts = number()
	var slots [dictionaryCount][languageCount]int
	for d := range slots {
		for lang := range slots[d] {
			slots[d][lang] = number()
		}
	}
	for d := range slots {
		l.dictionaries[d].han = part(lastHan - firstHan + 1)
		for lang, n := range slots[d] {
			l.dictionaries[d].languages[lang] = part(n*slotSize + slotPad)
		}
	}
	l.pairs = part(pairBits / 8)
	l.entries = rest
	return l
})

// readTopics reads topics.txt and returns the number of each topic.
func (l *kinds) readTopics(list string) map[string]uint16 {
	number := make(map[string]uint16, maxTopics)
	var related []string
	for line := range strings.Lines(list) {
		head, tail, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		name, weight, has := strings.Cut(head, " ")
		i := len(l.names)
		l.weights[i] = 1
		if has {
			l.weights[i] = mustFloat(weight)
		}
		number[name] = uint16(i)
		l.names = append(l.names, name)
		related = append(related, tail)
		l.near[i][i] = 1
	}
	for i, tail := range related {
		fields := strings.Fields(tail)
		for k := 0; k+1 < len(fields); k += 2 {
			j, known := number[fields[k]]
			if !known {
				panic("topics.txt: " + fields[k])
			}
			v := max(kinship*float32(mustFloat(fields[k+1])), l.near[i][j])
			l.near[i][j], l.near[j][i] = v, v
		}
	}
	return number
}

func mustFloat(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("topics.txt: " + err.Error())
	}
	return f
}

// A table is an open-addressed hash table of the words of one language. A slot has
// three bytes of the hash and three of a value; value 0 is a free slot. The words
// themselves are not stored: of some millions of look-ups of words that are not in the
// lists, one finds a word. The bytes after the last slot are padding.
type table []byte

const (
	slotSize = 6
	slotPad  = 2 // a slot is read as eight bytes
)

// span is where the entries of a word begin in words.entries, counted in entries; 0 if
// it is unknown.
type span uint32

// kind is what a key of a table is.
type kind uint8

const (
	exact kind = iota // a word as written, or a phrase joined by "_"
	stems             // a word without ending; of English as [text.Terms] gives it
	opens             // first word of phrases; the value has a bit for each length in words
)

// find looks a key up.
func (t table) find(of kind, key []byte) span {
	n := len(t) / slotSize
	place, mark := placeOf(of, key, n)
	for {
		slot := binary.LittleEndian.Uint64(t[place*slotSize:])
		value := span(slot>>24) & 0xffffff
		if value == 0 || uint32(slot)&0xffffff == mark {
			return value
		}
		if place++; place == n {
			place = 0
		}
	}
}

// A pairSet is a Bloom filter of the first two words of the phrases of all tables. One in
// 60 of other pairs seems to be in it.
type pairSet []byte

const pairBits = 1 << 19

// A pair is the hash of two words, which in a table may begin a phrase.
type pair uint64

// pairOf returns the pair of two words, given by their [wordHash].
func pairOf(dictionary int, lang language, first, second uint32) pair {
	table := uint32(dictionary)*uint32(languageCount) + uint32(lang)
	return pair(mix(uint64(first)<<32 | uint64(second^table)))
}

func wordHash(w []byte) uint32 { return uint32(hash(uint64(len(w)), w)) }

func (p pairSet) has(of pair) bool {
	other := of >> 32
	return p[of%pairBits/8]>>(of%8)&1 != 0 && p[other%pairBits/8]>>(other%8)&1 != 0
}

// placeOf returns the first slot of n to look in and the mark of the key.
func placeOf(of kind, key []byte, n int) (place int, mark uint32) {
	h := hash(uint64(of)<<32|uint64(len(key)), key)
	return int(uint64(uint32(h)) * uint64(n) >> 32), uint32(h >> 40)
}

// hash multiplies eight bytes at a time; the last eight may overlap those before.
func hash(seed uint64, key []byte) uint64 {
	h := mix(seed ^ 0x9e3779b97f4a7c15)
	n := len(key)
	for at := 0; at+8 < n; at += 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(key[at:]))
	}
	switch {
	case n >= 8:
		h ^= binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		h ^= uint64(binary.LittleEndian.Uint32(key)) | uint64(binary.LittleEndian.Uint32(key[n-4:]))<<32
	case n > 0:
		h ^= uint64(key[0]) | uint64(key[n/2])<<8 | uint64(key[n-1])<<16
	}
	return mix(h)
}

func mix(h uint64) uint64 {
	hi, lo := bits.Mul64(h, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// An entry is a topic or concept of a word: its code, the weight's place in
// entryWeights and whether it is the word's last.
type entry uint16

const (
	codeOf   entry = maxCodes - 1
	weightAt       = 12 // shift
	lastOne  entry = 1 << 15
)

// entryWeights are the weights of entries.
var entryWeights = [4]float32{1, weak, evoking, weak * evoking}

const (
	// weak is the weight of a word marked with "~": it has other meanings as well, or
	// little meaning.
	weak = 0.4
	// evoking is the weight of a word that evokes a concept and does not name it.
	evoking = 0.5
)

func (e entry) code() uint16    { return uint16(e & codeOf) }
func (e entry) weight() float32 { return entryWeights[e>>weightAt&3] }

// at is the entry with this number.
func (l *words) at(i span) entry {
	return entry(binary.LittleEndian.Uint16(l.entries[2*i:]))
}
