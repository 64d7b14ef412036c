package recall

import "math/bits"

// closeBy is the most words between two parts of a question that count as close.
const closeBy = 8

// passage holds the parts of a question that occur in one memory's best chunk.
type passage struct {
	exact, loose parts // itself, and by a relative
	near         parts // close to another part
	stretch      int   // of the memory, with the chunk
	states       bool  // see [index.states]
}

// passage reads the terms of a document's best chunk. They must be marked, see
// [matches.mark].
func (m *matches) passage(ix *index, q *question, doc uint32, said []uint32) (p passage) {
	p.stretch, p.states = int(m.chunkOf(ix, doc))/stretchChunks, ix.states(doc)
	last, lastAt := -1, 0
	for at, term := range said {
		part := int(m.terms[term].part) - 1
		if part < 0 {
			continue
		}
		if q.parts[part].known && q.parts[part].exact == term {
			p.exact |= 1 << part
		} else {
			p.loose |= 1 << part
		}
		if last >= 0 && last != part && at-lastAt <= closeBy {
			p.near |= 1<<part | 1<<last
		}
		last, lastAt = part, at
	}
	return p
}

// close is the share of the question that a passage holds close together, 0–1. For a
// question of one word it is the share that the passage holds.
func (t *topic) close(p passage, shares []float64) float64 {
	words := 0
	for _, e := range t.emphasis {
		if e > asideShare {
			words++
		}
	}
	if words < 2 { // no other part to be close to
		return t.weigh(p, p.exact|p.loose, shares)
	}
	return t.weigh(p, p.near, shares)
}

// weigh is the share of the question that some parts of a passage have, 0–1. A part
// that only a relative matches counts with the weight of the relative.
func (t *topic) weigh(p passage, some parts, shares []float64) (sum float64) {
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(uint64(some))
		if p.exact&(1<<i) != 0 {
			sum += shares[i]
		} else {
			sum += shares[i] * t.relation[i]
		}
	}
	return sum
}
