package recall

import (
	"math/bits"

	"github.com/ebbmem/ebb/internal/quickselect"
)

// parts is a set of a question's parts, as bits.
type parts uint64

// matches holds what a search knows about documents, sessions and terms. It is
// reused between searches.
type matches struct {
	places   []uint32   // by document, one more than its place in found; 0 = it has none
	found    []docMatch // documents that hold a part or rest on a claim that does, then their neighbours
	sessions []parts    // of threads, clean beyond sessionsUsed
	terms    []termNote

	near []uint32 // the candidates

	sessionsUsed int

	lists     []list // of the postings being matched
	strip     strip
	strengths []float32 // of near
	scratch   []float32
	fetched   byte     // from chunks, without a meaning
	said      []uint32 // the terms of the chunk looked at last
}

type docMatch struct {
	exact, loose parts   // held itself, and by a relative alone
	lent         parts   // held by claims that rest on it
	key          float32 // score of the best such claim
	own, related float32 // largest of any chunk
	most         float32 // largest of their sums, 0 when no chunk holds a part
	best         uint32  // the chunk of that sum
	doc          uint32
}

// termNote is the state of a term in feedback and proximity, for one search.
type termNote struct {
	weight float32
	seen   uint32
	part   uint8
}

// idle holds unused matches. A [sync.Pool] would drop them at every garbage
// collection, and they are large.
var idle = make(chan *matches, 4)

// borrow returns clean matches for the index.
func borrow(ix *index) *matches {
	var m *matches
	select {
	case m = <-idle:
	default:
		m = new(matches)
	}
	m.places = grown(m.places, len(ix.docs))
	m.sessions, m.sessionsUsed = grown(m.sessions, len(ix.lastInThread)), len(ix.lastInThread)
	m.terms = grown(m.terms, len(ix.postings))
	return m
}

// grown is s, or a larger zeroed slice if s is shorter than n.
func grown[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n+n/8)
}

// release clears the touched entries and makes m available to other searches.
func (m *matches) release() {
	for i := range m.found {
		m.places[m.found[i].doc] = 0
	}
	clear(m.sessions[:m.sessionsUsed])
	m.found, m.near = m.found[:0], m.near[:0]
	clear(m.lists)
	select {
	case idle <- m:
	default:
	}
}

// unmatched is the match of a document that holds no part.
var unmatched docMatch

// of is a document's match, valid until the next touch.
func (m *matches) of(doc uint32) *docMatch {
	if place := m.places[doc]; place > 0 {
		return &m.found[place-1]
	}
	return &unmatched
}

// touch is a document's match, which the caller may change until the next touch.
func (m *matches) touch(doc uint32) *docMatch {
	if m.places[doc] == 0 {
		m.found = append(m.found, docMatch{doc: doc})
		m.places[doc] = uint32(len(m.found))
	}
	return &m.found[m.places[doc]-1]
}

// settle completes the matches, adds their parts to their sessions, and lists the
// documents that the filter admits.
func (m *matches) settle(ix *index, f *filter) {
	m.strengths = m.strengths[:0]
	for i := range m.found {
		d := &m.found[i]
		d.loose &^= d.exact
		if l := &ix.meta[d.doc]; l.thread != 0 && l.said() {
			m.sessions[l.thread] |= d.held()
		}
		if f.admits(ix, d.doc) {
			m.near, m.strengths = append(m.near, d.doc), append(m.strengths, d.strength())
		}
	}
}

// keepStrongest drops the weakest of many documents.
func (m *matches) keepStrongest(enough int) {
	if len(m.near) <= enough {
		return
	}
	m.scratch = append(m.scratch[:0], m.strengths...)
	least := quickselect.NthLargest(m.scratch, enough)
	kept := 0
	for i, doc := range m.near {
		if m.strengths[i] >= least {
			m.near[kept], m.strengths[kept] = doc, m.strengths[i]
			kept++
		}
	}
	m.near, m.strengths = m.near[:kept], m.strengths[:kept]
}

// surround lists the matched documents that the filter admits, and then their
// neighbours.
func (m *matches) surround(ix *index, f *filter) []uint32 {
	m.settle(ix, f)
	// The others cannot become candidates, and finding their neighbours would take longer
	// than the rest of the search.
	m.keepStrongest(4 * armDepth)
	from := 0
	for range window {
		end := len(m.near)
		for _, doc := range m.near[from:end] {
			for _, n := range [...]int32{ix.docs[doc].prev, ix.docs[doc].next} {
				if n >= 0 && m.places[n] == 0 {
					m.touch(uint32(n))
					m.near = append(m.near, uint32(n))
				}
			}
		}
		from = end
	}
	return m.near
}

// read lists the terms of a document's [matches.chunkOf] in order, valid until the
// next call.
func (m *matches) read(ix *index, doc uint32) []uint32 {
	m.said = ix.chunks.Terms(m.said[:0], m.chunkOf(ix, doc))
	return m.said
}

// at is a document's match; -1 is none.
func (m *matches) at(doc int32) *docMatch {
	if doc < 0 {
		return &unmatched
	}
	return m.of(uint32(doc))
}

// held are the parts that a document holds, itself or by a relative.
func (d *docMatch) held() parts { return d.exact | d.loose }

// weigh is the share of the question's weight that some parts have, 0–1.
func (q *question) weigh(some parts) float64 {
	if q.total == 0 {
		return 0
	}
	var sum float32
	for ; some != 0; some &= some - 1 {
		sum += q.parts[bits.TrailingZeros64(uint64(some))].idf
	}
	return float64(sum / q.total)
}
