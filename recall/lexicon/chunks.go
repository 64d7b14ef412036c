package lexicon

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"

	"github.com/ebbmem/ebb/internal/idlist"
)

// Chunks holds the terms of a user's chunks, and the documents they belong to.
type Chunks struct {
	Lengths []uint16          // in terms
	coded   []byte            // the terms of every chunk in order, as variable-length integers
	starts  []uint32          // in coded, of every chunk that begins a run
	begins  []begun           // of every 64 chunks
	docs    uint32            // that have a chunk
	late    map[uint32]uint32 // chunk -> document, of chunks that came after those of a later document
}

// chunkRun is how many chunks share a start. Finding a chunk skips those before it
// in its run.
const chunkRun = 8

// begun records which of 64 chunks begin a document, and how many documents begin
// before them. The document of a chunk takes two bits this way instead of four bytes.
type begun struct {
	here   uint64
	before uint32
}

func (c *Chunks) Len() int { return len(c.Lengths) }

// Add appends a chunk of a known document or of the next one.
func (c *Chunks) Add(doc uint32, terms []uint32) {
	at := uint32(c.Len())
	if at%64 == 0 {
		c.begins = append(c.begins, begun{before: c.docs})
	}
	switch {
	case doc == c.docs:
		c.begins[at/64].here |= 1 << (at % 64)
		c.docs++
	case doc+1 < c.docs:
		if c.late == nil {
			c.late = make(map[uint32]uint32)
		}
		c.late[at] = doc
	}
	if at%chunkRun == 0 {
		c.starts = append(c.starts, uint32(len(c.coded)))
	}
	for _, term := range terms {
		c.coded = binary.AppendUvarint(c.coded, uint64(term))
	}
	c.Lengths = append(c.Lengths, uint16(len(terms)))
}

// Expect reserves room for n more chunks.
func (c *Chunks) Expect(n int) {
	c.Lengths = idlist.Grow(c.Lengths, n)
	c.starts, c.begins = idlist.Grow(c.starts, n/chunkRun+1), idlist.Grow(c.begins, n/64+1)
}

// Fit frees the room that is not used.
func (c *Chunks) Fit() {
	c.coded, c.Lengths = slices.Clone(c.coded), slices.Clone(c.Lengths)
	c.starts, c.begins = slices.Clone(c.starts), slices.Clone(c.begins)
}

// Doc is the document of a chunk.
func (c *Chunks) Doc(at uint32) uint32 {
	if len(c.late) > 0 {
		if doc, late := c.late[at]; late {
			return doc
		}
	}
	b := &c.begins[at/64]
	return b.before + uint32(bits.OnesCount64(b.here<<(63-at%64))) - 1
}

// First is the first chunk of a document.
func (c *Chunks) First(doc uint32) uint32 {
	word := sort.Search(len(c.begins), func(i int) bool { return c.begins[i].before > doc }) - 1
	here := c.begins[word].here
	for range doc - c.begins[word].before {
		here &= here - 1
	}
	return uint32(word*64 + bits.TrailingZeros64(here))
}

// Terms appends the terms of a chunk to all, in order.
func (c *Chunks) Terms(all []uint32, at uint32) []uint32 {
	run := at / chunkRun
	before := 0
	for _, length := range c.Lengths[run*chunkRun : at] {
		before += int(length)
	}
	next := passUvarints(c.coded, int(c.starts[run]), before)
	for range c.Lengths[at] {
		var term uint32
		term, next = Uvarint(c.coded, next)
		all = append(all, term)
	}
	return all
}

// Fetch reads the start of a chunk's run into the processor's cache, as [Asked.Fetch]
// does for a set. What it returns has no meaning.
func (c *Chunks) Fetch(at uint32) byte {
	if start := int(c.starts[at/chunkRun]); start < len(c.coded) {
		return c.coded[start]
	}
	return 0
}

// passUvarints returns the offset after n numbers.
func passUvarints(b []byte, at, n int) int {
	const goesOn = 0x8080808080808080 // the high bit is set in all bytes of a number but the last
	for ; n >= 8; at += 8 {
		n -= bits.OnesCount64(^binary.LittleEndian.Uint64(b[at:]) & goesOn)
	}
	for ; n > 0; at++ {
		if b[at] < 0x80 {
			n--
		}
	}
	return at
}
