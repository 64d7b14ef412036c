package recall

import (
	"math"
	"math/bits"

	"github.com/ebbmem/ebb/recall/lexicon"
)

// match scores every chunk that holds a part of the question or a relative by
// BM25, and every document by its best chunk. It walks the lists of all terms in
// parallel, a stretch of the memory at a time, so that the sums stay in the
// processor's cache.
func (m *matches) match(ix *index, q *question) {
	mean := ix.meanLength()
	if mean == 0 {
		return
	}
	m.list(ix, q)
	m.strip.weigh(mean)
	for from := 0; from < ix.chunks.Len(); from += stretchChunks {
		m.strip.from = uint32(from)
		for i := range m.lists {
			m.lists[i].score(ix, &m.strip)
		}
		m.take(ix)
	}
}

// list is a cursor over the postings of one term.
type list struct {
	coded []byte
	next  int    // offset of the next posting
	chunk uint32 // of this posting; [math.MaxUint32] after the last
	uses  uint8

	part  uint8 // of the question, from 1
	exact bool
	idf   float32
}

// list opens the postings of a question's terms, part by part.
func (m *matches) list(ix *index, q *question) {
	m.lists = m.lists[:0]
	enter := func(term uint32, l list) {
		l.coded = ix.postings[term].Coded
		l.advance()
		m.lists = append(m.lists, l)
	}
	for i := range q.parts {
		p := &q.parts[i]
		if p.known {
			enter(p.exact, list{part: uint8(i + 1), exact: true, idf: p.idf})
		}
		for _, r := range p.related {
			enter(r.term, list{part: uint8(i + 1), idf: p.relatedIDF * r.weight})
		}
	}
}

// advance moves to the next posting.
func (l *list) advance() {
	if l.next == len(l.coded) {
		l.chunk = math.MaxUint32
		return
	}
	var far uint32
	far, l.next = lexicon.Uvarint(l.coded, l.next)
	l.chunk += far >> 1
	if l.uses = 1; far&1 != 0 {
		l.uses = l.coded[l.next]
		l.next++
	}
}

// strip is the stretch of the memory that is being matched.
type strip struct {
	from    uint32
	chunks  [stretchChunks]chunkMatch
	touched [stretchChunks / 64]uint64
	mean    float32
	once    [256]float32 // weights of a term that is used once, by the chunk's length
}

type chunkMatch struct {
	own, related float32 // BM25
	exact, loose parts   // held itself, and by a relative alone
	part         uint8   // the last part counted, from 1: relatives of one part count once
}

func (s *strip) weigh(mean float32) {
	s.mean = mean
	for words := range s.once {
		s.once[words] = termWeight(1, float32(words), mean)
	}
}

func (s *strip) weight(uses uint8, words uint16) float32 {
	if uses == 1 && int(words) < len(s.once) {
		return s.once[words]
	}
	return termWeight(float32(uses), float32(words), s.mean)
}

// score adds the weight of a term to the chunks of the strip.
func (l *list) score(ix *index, s *strip) {
	for ; l.chunk-s.from < stretchChunks; l.advance() {
		at := l.chunk - s.from
		c := &s.chunks[at]
		if c.part == l.part {
			continue
		}
		c.part = l.part
		s.touched[at/64] |= 1 << (at % 64)
		weight := l.idf * s.weight(l.uses, ix.chunks.Lengths[l.chunk])
		if l.exact {
			c.own += weight
			c.exact |= 1 << (l.part - 1)
		} else {
			c.related += weight
			c.loose |= 1 << (l.part - 1)
		}
	}
}

// take moves the sums of the strip to its documents, and clears it.
func (m *matches) take(ix *index) {
	s := &m.strip
	for i, some := range s.touched {
		for ; some != 0; some &= some - 1 {
			at := uint32(i*64 + bits.TrailingZeros64(some))
			c, d := &s.chunks[at], m.touch(ix.chunks.Doc(s.from+at))
			if sum := c.own + c.related; sum > d.most {
				d.best, d.most = s.from+at, sum
			}
			d.own, d.related = max(d.own, c.own), max(d.related, c.related)
			d.exact |= c.exact
			d.loose |= c.loose
			*c = chunkMatch{}
		}
		s.touched[i] = 0
	}
}

// BM25 parameters. FTS5 fixes b at .75, which favours short chat turns too
// much; chunks are at most 900 characters, so little normalisation is left to
// do.
const (
	bm25K1 = 1.0
	bm25B  = 0.3
)

// inverseDocumentFrequency is ln(1 + (N − df + ½)/(df + ½)), in nats, > 0,
// for a term that df of n chunks hold (Robertson and Spärck Jones, with the
// +1 of Lucene that keeps common terms from counting against a match).
func inverseDocumentFrequency(n, df int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// termWeight is BM25's saturation of a term frequency in a chunk of length
// words among chunks of mean length, 0–(k1+1).
func termWeight(tf, length, mean float32) float32 {
	return tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/mean))
}
