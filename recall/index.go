package recall

import (
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// index is one user's text in memory: for every term the chunks that hold it.
// It is a cache over the durable chunks and is brought up to date from them,
// so whoever wrote them, in this process or another, is seen.
//
// Chunks and documents (memories) are numbered in order of arrival, which is
// the order of their ids; an index built in steps equals one built at once.
type index struct {
	terms    map[string]uint32
	postings [][]posting // by term

	chunkDoc  []uint32 // by chunk
	chunkLen  []uint16
	totalLen  int
	lastChunk int64
	lastOp    int64

	docs     []document
	speakers []string            // prepared names
	named    map[string][]uint16 // term of a name -> speakers
	tails    map[int64]uint32    // session -> its last document in time
}

// posting packs a chunk number and a term frequency: chunk<<8 | min(tf, 255).
type posting uint32

const maxChunks = 1 << 24

func (p posting) chunk() uint32 { return uint32(p) >> 8 }
func (p posting) tf() float32   { return float32(uint8(p)) }

type document struct {
	memory  int64
	session int64
	time    int64 // Unix milliseconds
	prev    int32 // neighbours in the session, -1 = none
	next    int32
	words   uint16 // terms in all chunks
	speaker uint16
	kind    kindBit
	state   stateBit
	flags   docFlags
}

type docFlags uint8

const (
	saysI   docFlags = 1 << iota // speaks in the first person
	datesIt                      // holds a date or time word, or a number
	byUser                       // role user
)

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

func newIndex() *index {
	return &index{
		terms: make(map[string]uint32),
		named: make(map[string][]uint16),
		tails: make(map[int64]uint32),
	}
}

// add takes in one chunk. Chunks must come in order of id.
func (ix *index) add(c schema.IndexedChunk) {
	chunk := uint32(len(ix.chunkDoc))
	if chunk >= maxChunks {
		return // the durable index still finds it
	}
	doc := ix.document(c)
	words := ix.post(chunk, c.Text)
	ix.chunkDoc = append(ix.chunkDoc, doc)
	ix.chunkLen = append(ix.chunkLen, uint16(min(words, math.MaxUint16)))
	ix.totalLen += words
	ix.lastChunk = c.ID
	d := &ix.docs[doc]
	d.words = uint16(min(int(d.words)+words, math.MaxUint16))
	d.flags |= flagsOf(c.Text)
}

func (ix *index) post(chunk uint32, prepared string) (words int) {
	for term := range strings.FieldsSeq(prepared) {
		words++
		id, known := ix.terms[term]
		if !known {
			id = uint32(len(ix.postings))
			ix.terms[strings.Clone(term)] = id
			ix.postings = append(ix.postings, nil)
		}
		list := ix.postings[id]
		if n := len(list); n > 0 && list[n-1].chunk() == chunk {
			if uint8(list[n-1]) < math.MaxUint8 {
				list[n-1]++
			}
			continue
		}
		ix.postings[id] = append(list, posting(chunk<<8|1))
	}
	return words
}

// document finds the chunk's document or appends it.
func (ix *index) document(c schema.IndexedChunk) uint32 {
	if doc, ok := ix.find(c.MemoryID); ok {
		return doc
	}
	doc := uint32(len(ix.docs))
	d := document{
		memory: c.MemoryID, session: c.SessionID, time: c.EventTime, prev: -1, next: -1,
		speaker: ix.speaker(c.Speaker), kind: bitOfKind(c.Kind), state: bitOfState(c.State),
	}
	if c.Role == "user" {
		d.flags |= byUser
	}
	ix.docs = append(ix.docs, d)
	if c.Kind == schema.KindEpisode && c.SessionID != 0 {
		ix.chain(doc)
	}
	return doc
}

// find looks a memory up; documents are sorted by memory id.
func (ix *index) find(memory int64) (uint32, bool) {
	i, ok := slices.BinarySearchFunc(ix.docs, memory, func(d document, id int64) int {
		switch {
		case d.memory < id:
			return -1
		case d.memory > id:
			return 1
		}
		return 0
	})
	return uint32(i), ok
}

// chain puts a document into its session's order in time.
func (ix *index) chain(doc uint32) {
	d := &ix.docs[doc]
	tail, known := ix.tails[d.session]
	if !known {
		ix.tails[d.session] = doc
		return
	}
	after := int32(tail)
	for after >= 0 && ix.docs[after].time > d.time {
		after = ix.docs[after].prev
	}
	d.prev = after
	if after < 0 {
		first := tail
		for ix.docs[first].prev >= 0 {
			first = uint32(ix.docs[first].prev)
		}
		d.next = int32(first)
	} else {
		d.next = ix.docs[after].next
		ix.docs[after].next = int32(doc)
	}
	if d.next < 0 {
		ix.tails[d.session] = doc
	} else {
		ix.docs[d.next].prev = int32(doc)
	}
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
		ix.named[term] = append(ix.named[term], id)
	}
	return id
}

// change applies audited changes of state.
func (ix *index) change(changed map[int64]schema.State) {
	for memory, state := range changed {
		if doc, ok := ix.find(memory); ok {
			ix.docs[doc].state = bitOfState(state)
		}
	}
}
