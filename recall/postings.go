package recall

import (
	"encoding/binary"
	"iter"
	"slices"
)

// postings list the chunks that hold one term, in order, as variable-length
// integers: twice the distance from the chunk before, plus one if the term occurs
// more than once there; then the number of uses follows. Most entries take one byte.
type postings struct {
	coded []byte
	n     uint32 // chunks
	last  uint32 // of them
}

// maxFrequency is the most uses in one chunk that are counted.
const maxFrequency = 255

// add appends a chunk.
func (p *postings) add(chunk uint32, frequency int) {
	far := uint64(chunk-p.last) << 1
	p.last = chunk
	p.n++
	if frequency == 1 {
		p.coded = binary.AppendUvarint(p.coded, far)
		return
	}
	p.coded = binary.AppendUvarint(p.coded, far|1)
	p.coded = append(p.coded, byte(min(frequency, maxFrequency)))
}

// fit frees the spare capacity of all lists.
func (ix *index) fit() {
	ix.chunks.fit()
	ix.themes.fit()
	ix.docs, ix.meta, ix.memories.lower = slices.Clone(ix.docs), slices.Clone(ix.meta), slices.Clone(ix.memories.lower)
	for i := range ix.postings {
		ix.postings[i].coded = slices.Clone(ix.postings[i].coded)
	}
}

// all yields the chunks with the number of uses in each.
func (p *postings) all() iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		chunk := uint32(0)
		for at := 0; at < len(p.coded); {
			far, next := shortUvarint(p.coded, at)
			at = next
			frequency := 1
			if far&1 != 0 {
				frequency = int(p.coded[at])
				at++
			}
			chunk += far >> 1
			if !yield(chunk, frequency) {
				return
			}
		}
	}
}

// shortUvarint reads a number of at most 32 bits and returns the offset after it.
// Nearly all take one byte.
func shortUvarint(b []byte, at int) (x uint32, next int) {
	if x = uint32(b[at]); x < 0x80 {
		return x, at + 1
	}
	x &= 0x7f
	for shift := 7; ; shift += 7 {
		at++
		x |= uint32(b[at]&0x7f) << shift
		if b[at] < 0x80 {
			return x, at + 1
		}
	}
}
