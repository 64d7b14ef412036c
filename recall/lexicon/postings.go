package lexicon

import (
	"encoding/binary"
	"iter"
)

// Postings lists the chunks that hold one term, in order, as variable-length
// integers: twice the distance from the chunk before, plus one if the term occurs
// more than once there; then the number of uses follows. Most entries take one byte.
type Postings struct {
	Coded []byte
	N     uint32 // chunks
	last  uint32 // of them
}

// MaxFrequency is the most uses in one chunk that are counted.
const MaxFrequency = 255

// Add appends a chunk.
func (p *Postings) Add(chunk uint32, frequency int) {
	far := uint64(chunk-p.last) << 1
	p.last = chunk
	p.N++
	if frequency == 1 {
		p.Coded = binary.AppendUvarint(p.Coded, far)
		return
	}
	p.Coded = binary.AppendUvarint(p.Coded, far|1)
	p.Coded = append(p.Coded, byte(min(frequency, MaxFrequency)))
}

// All yields the chunks with the number of uses in each.
func (p *Postings) All() iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		chunk := uint32(0)
		for at := 0; at < len(p.Coded); {
			far, next := Uvarint(p.Coded, at)
			at = next
			frequency := 1
			if far&1 != 0 {
				frequency = int(p.Coded[at])
				at++
			}
			chunk += far >> 1
			if !yield(chunk, frequency) {
				return
			}
		}
	}
}

// Newest yields the last n chunks, the last first, of a term that occurs once in each.
func (p *Postings) Newest(n int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		chunk := p.last
		for at := len(p.Coded); at > 0 && n > 0 && yield(chunk); n-- {
			at--
			far := uint32(p.Coded[at])
			for ; at > 0 && p.Coded[at-1] >= 0x80; at-- {
				far = far<<7 | uint32(p.Coded[at-1]&0x7f)
			}
			chunk -= far >> 1
		}
	}
}

// Uvarint reads a number of at most 32 bits and returns the offset after it.
// Nearly all take one byte.
func Uvarint(b []byte, at int) (x uint32, next int) {
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
