package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// index is one user's text in memory: for every term the chunks that hold it,
// and for every chunk its terms in order. It is a cache over the durable
// chunks and is brought up to date from them, so whoever wrote them, in this
// process or another, is seen.
//
// Chunks and documents (memories) are numbered in order of arrival, which is
// the order of their ids; an index built in steps equals one built at once.
type index struct {
	terms    map[string]uint32
	postings [][]posting         // by term
	counts   statistics          // of what is current
	families map[string][]uint32 // root of a word -> its terms; see root

	chunks                []chunk
	words                 []uint32 // the terms of every chunk, one chunk after another
	firstChunk, lastChunk int64    // ids
	lastOp                int64
	lastNamed             int64  // the last chunk whose memory's names were counted
	learnt                uint32 // so many documents were asked what they rest on

	docs     []document
	keys     map[uint32][]uint32 // claim -> the turns it is a key to; see keys.go
	sessions map[int64]uint32    // session -> its number
	tails    []int32             // by session: its last document in time, -1 = none
	speakers []string            // prepared names
	named    map[string][]uint16 // term of a name -> speakers
	merged   map[int64][]int64   // entity -> those merged into it; of the entity arm
}

// posting packs a chunk number and a term frequency: chunk<<8 | min(tf, 255).
type posting uint32

const maxChunks = 1 << 24

func (p posting) chunk() uint32 { return uint32(p) >> 8 }
func (p posting) tf() float32   { return float32(uint8(p)) }

type chunk struct {
	doc   uint32
	start uint32 // of its terms in words
	words uint32 // how many
}

type document struct {
	memory  int64
	time    int64  // Unix milliseconds
	first   uint32 // its first chunk
	session uint32 // number; 0 = none
	prev    int32  // neighbours in the session, -1 = none
	next    int32
	words   uint16 // terms in all chunks
	speaker uint16
	flags   docFlags
	kind    kindBit
	state   stateBit
	names   uint8 // capitals inside sentences, at most nameCap
}

type (
	kindBit  uint8
	stateBit uint8
)

func bitOfKind(k schema.Kind) kindBit {
	return 1 << slices.Index(schema.Kinds, k)
}

var states = []schema.State{schema.StateActive, schema.StateDormant, schema.StateQuarantined, schema.StateSuperseded, schema.StateRetired}

func bitOfState(s schema.State) stateBit {
	return 1 << slices.Index(states, s)
}

// said reports an episode, as opposed to what is derived.
func (d *document) said() bool { return d.kind == bitOfKind(schema.KindEpisode) }

func newIndex() *index {
	return &index{
		terms:    make(map[string]uint32),
		families: make(map[string][]uint32),
		keys:     make(map[uint32][]uint32),
		sessions: map[int64]uint32{0: 0},
		tails:    []int32{-1},
		named:    make(map[string][]uint16),
	}
}

// add takes in one chunk. Chunks must come in order of id; a chunk of an older
// memory adds keys to it.
func (ix *index) add(c schema.IndexedChunk) {
	if ix.firstChunk == 0 {
		ix.firstChunk = c.ID
	}
	ix.lastChunk = c.ID
	at := uint32(len(ix.chunks))
	if at >= maxChunks {
		return // the durable index still finds it
	}
	doc := ix.document(c)
	words := ix.post(at, c.Text)
	ix.chunks = append(ix.chunks, chunk{doc: doc, start: uint32(len(ix.words)) - words, words: words})
	d := &ix.docs[doc]
	if d.counted() {
		ix.count(at, 1)
	}
	d.words = uint16(min(uint32(d.words)+words, math.MaxUint16))
	d.flags |= flagsOf(c.Text)
}

func (ix *index) post(at uint32, prepared string) (words uint32) {
	for term := range strings.FieldsSeq(prepared) {
		words++
		id := ix.term(term)
		ix.words = append(ix.words, id)
		list := ix.postings[id]
		if n := len(list); n > 0 && list[n-1].chunk() == at {
			if uint8(list[n-1]) < math.MaxUint8 {
				list[n-1]++
			}
			continue
		}
		ix.postings[id] = append(list, posting(at<<8|1))
	}
	return words
}

// term numbers a term, and enters a new one into its families.
func (ix *index) term(term string) uint32 {
	if id, known := ix.terms[term]; known {
		return id
	}
	id := uint32(len(ix.postings))
	term = strings.Clone(term)
	ix.terms[term] = id
	ix.postings = append(ix.postings, nil)
	ix.counts.holding = append(ix.counts.holding, 0)
	for _, r := range roots(term) {
		ix.families[r] = append(ix.families[r], id)
	}
	return id
}

// document finds the chunk's document or appends it.
func (ix *index) document(c schema.IndexedChunk) uint32 {
	if doc, ok := ix.find(c.MemoryID); ok {
		return doc
	}
	doc := uint32(len(ix.docs))
	speaker := c.Speaker
	if c.Kind != schema.KindEpisode {
		speaker = "" // what is derived was said by nobody
	}
	d := document{
		memory: c.MemoryID, time: c.EventTime, first: uint32(len(ix.chunks)), prev: -1, next: -1,
		session: ix.session(c.SessionID), speaker: ix.speaker(speaker),
		kind: bitOfKind(c.Kind), state: bitOfState(c.State),
	}
	if c.Role == "user" || c.Kind != schema.KindEpisode { // what is derived rests on what the user said
		d.flags |= byUser
	}
	ix.docs = append(ix.docs, d)
	if c.Kind == schema.KindEpisode && d.session != 0 {
		ix.chain(doc)
	}
	return doc
}

// find looks a memory up; documents are sorted by memory id.
func (ix *index) find(memory int64) (uint32, bool) {
	i, ok := slices.BinarySearchFunc(ix.docs, memory, func(d document, id int64) int { return cmp.Compare(d.memory, id) })
	return uint32(i), ok
}

// termsOf is what a chunk says, in order.
func (ix *index) termsOf(at uint32) []uint32 {
	c := &ix.chunks[at]
	return ix.words[c.start : c.start+c.words]
}

func (ix *index) session(id int64) uint32 {
	number, known := ix.sessions[id]
	if !known {
		number = uint32(len(ix.tails))
		ix.sessions[id] = number
		ix.tails = append(ix.tails, -1)
	}
	return number
}

func (ix *index) speaker(prepared string) uint16 {
	if i := slices.Index(ix.speakers, prepared); i >= 0 {
		return uint16(i)
	}
	if len(ix.speakers) == math.MaxUint16 {
		return 0
	}
	id := uint16(len(ix.speakers))
	ix.speakers = append(ix.speakers, strings.Clone(prepared))
	for term := range strings.FieldsSeq(ix.speakers[id]) {
		if !slices.Contains(ix.named[term], id) {
			ix.named[term] = append(ix.named[term], id)
		}
	}
	return id
}
