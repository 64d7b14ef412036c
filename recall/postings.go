package recall

import (
	"encoding/binary"
	"iter"
	"slices"
)

// postings list the chunks that hold one term, in order, as variable-length
// integers: twice the distance from the chunk before, and one more when the
// term comes up more than once there; how often then follows. Most take one byte,
// where a number for each would take four.
type postings struct {
	coded []byte
	n     uint32 // chunks
	last  uint32 // of them
}

// maxFrequency is the most that uses in one chunk count.
const maxFrequency = 255

// add enters a chunk after all that are there.
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

// fit gives back the room that growing left behind the lists.
func (ix *index) fit() {
	ix.chunks.fit()
	ix.themes.fit()
	ix.docs, ix.labels, ix.memories.lower = slices.Clone(ix.docs), slices.Clone(ix.labels), slices.Clone(ix.memories.lower)
	for i := range ix.postings {
		ix.postings[i].coded = slices.Clone(ix.postings[i].coded)
	}
}

// all yields the chunks, and how often the term is used in each.
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

// shortUvarint reads a number of at most 32 bits and returns where it ends.
// Nearly all are of one byte.
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
