package recall

import (
	"math/bits"
	"slices"
	"sync"
)

// parts is a set of a question's parts, as bits.
type parts uint64

// matches is what a search found out about the texts, reused between searches:
// plain arrays over chunks, documents, sessions and terms, of which only the
// touched places are cleared.
type matches struct {
	chunks   []chunkMatch
	docs     []docMatch
	sessions []parts
	terms    []termNote

	touchedChunks   []uint32
	touchedDocs     []uint32 // that hold a part
	near            []uint32 // touchedDocs, then those in their surroundings
	touchedSessions []uint32

	scores []float32
	said   []uint32 // the terms of the chunk looked at last
}

type chunkMatch struct {
	own, related float32 // BM25
	part         uint8   // the last part counted, from 1: relatives of one part count once
}

type docMatch struct {
	own, related float32 // of the best chunk
	best         uint32  // that chunk
	exact, loose parts   // held itself, and by a relative alone
	key          float32 // score of the best claim that rests on it
	lent         parts   // held by such claims
	listed       bool
	matched      bool
}

// termNote is what feedback and proximity remember of a term for one search.
type termNote struct {
	weight float32
	seen   uint32
	part   uint8
}

var pool = sync.Pool{New: func() any { return new(matches) }}

// borrow takes a clean set of matches for the index from the pool.
func borrow(ix *index) *matches {
	m := pool.Get().(*matches) //nolint:forcetypeassert // only New above and release fill the pool
	m.chunks = grown(m.chunks, len(ix.chunks))
	m.docs = grown(m.docs, len(ix.docs))
	m.sessions = grown(m.sessions, len(ix.tails))
	m.terms = grown(m.terms, len(ix.postings))
	return m
}

func grown[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n+n/4)
}

// giveBack clears what was touched.
func (m *matches) giveBack() {
	for _, c := range m.touchedChunks {
		m.chunks[c] = chunkMatch{}
	}
	for _, d := range m.near {
		m.docs[d] = docMatch{}
	}
	for _, d := range m.touchedDocs {
		m.docs[d] = docMatch{}
	}
	for _, s := range m.touchedSessions {
		m.sessions[s] = 0
	}
	m.touchedChunks, m.touchedDocs, m.near, m.touchedSessions = m.touchedChunks[:0], m.touchedDocs[:0], m.near[:0], m.touchedSessions[:0]
	pool.Put(m)
}

// match scores every chunk that holds a part of the question or a relative by
// BM25, and every document by its best chunk.
func (m *matches) match(ix *index, q *question) {
	mean := ix.meanLength()
	if mean == 0 {
		return
	}
	for i := range q.parts {
		p := &q.parts[i]
		if p.known {
			m.post(ix, p.exact, uint8(i+1), true, p.idf, mean)
		}
		for _, r := range p.related {
			m.post(ix, r.term, uint8(i+1), false, p.relatedIDF*r.weight, mean)
		}
	}
	for _, c := range m.touchedChunks {
		doc := ix.chunks[c].doc
		found, d := &m.chunks[c], &m.docs[doc]
		if !d.matched {
			d.matched, d.listed, d.best = true, true, c
			m.touchedDocs = append(m.touchedDocs, doc)
		}
		best := &m.chunks[d.best]
		if found.own+found.related > best.own+best.related {
			d.best = c
		}
		d.own, d.related = max(d.own, found.own), max(d.related, found.related)
		d.loose &^= d.exact
		if s := ix.docs[doc].session; s != 0 && ix.docs[doc].said() {
			if m.sessions[s] == 0 {
				m.touchedSessions = append(m.touchedSessions, s)
			}
			m.sessions[s] |= d.exact | d.loose
		}
	}
}

func (m *matches) post(ix *index, term uint32, part uint8, exact bool, idf, mean float32) {
	for at, uses := range ix.postings[term].all() {
		c := &m.chunks[at]
		if c.part == part {
			continue
		}
		if c.part == 0 {
			m.touchedChunks = append(m.touchedChunks, at)
		}
		c.part = part
		chunk := &ix.chunks[at]
		weight := idf * termWeight(float32(uses), float32(chunk.words), mean)
		d := &m.docs[chunk.doc]
		if exact {
			c.own += weight
			d.exact |= 1 << (part - 1)
		} else {
			c.related += weight
			d.loose |= 1 << (part - 1)
		}
	}
}

// strongest keeps the documents whose own score is among the best when there
// are many: the weakest cannot become candidates, and looking around each of
// them would take longer than all the rest.
func (m *matches) strongest(docs []uint32) []uint32 {
	const enough = 4 * armDepth
	if len(docs) <= enough {
		return docs
	}
	m.scores = m.scores[:0]
	for _, doc := range docs {
		m.scores = append(m.scores, m.docs[doc].strength())
	}
	least := nthLargest(m.scores, enough)
	return slices.DeleteFunc(docs, func(doc uint32) bool { return m.docs[doc].strength() < least })
}

// surround lists the documents that matched and that the filter lets through,
// and then those around them.
func (m *matches) surround(ix *index, f *filter) []uint32 {
	for _, doc := range m.touchedDocs {
		if f.excludes(&ix.docs[doc]) == "" {
			m.near = append(m.near, doc)
		}
	}
	m.near = m.strongest(m.near)
	from := 0
	for range window {
		end := len(m.near)
		for _, doc := range m.near[from:end] {
			for _, n := range [...]int32{ix.docs[doc].prev, ix.docs[doc].next} {
				if n >= 0 && !m.docs[n].listed {
					m.docs[n].listed = true
					m.near = append(m.near, uint32(n))
				}
			}
		}
		from = end
	}
	return m.near
}

// read lists the terms of a document's chunk that it is judged by, in order,
// until the next is read.
func (m *matches) read(ix *index, doc uint32) []uint32 {
	m.said = ix.termsOf(m.said[:0], m.chunkOf(ix, doc))
	return m.said
}

// at is a document's match; -1 is none.
func (m *matches) at(doc int32) docMatch {
	if doc < 0 {
		return docMatch{}
	}
	return m.docs[doc]
}

// held is the parts a document holds, in whatever form.
func (d docMatch) held() parts { return d.exact | d.loose }

// weigh is the weight of some parts in the question, 0–1.
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
