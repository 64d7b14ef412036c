package recall

import (
	"context"
	"sync"
)

// neighbourShare is the part of a turn's own text score that the turns before
// and after it in the session receive: an answer often stands beside the words
// it was asked with. Weight of the context field on the development split.
const neighbourShare = 0.2

// textArm scores by BM25 over the user's own statistics: a message by its best
// chunk, plus a share of its neighbours' scores.
type textArm struct{}

func (textArm) Name() string { return "text" }

func (textArm) Candidates(_ context.Context, r *Request) ([]Candidate, error) {
	ix := r.index
	scores := scratch.Get().(*accumulator)
	defer scratch.Put(scores)
	scores.reset(len(ix.chunkDoc), len(ix.docs))
	ix.accumulate(r.Terms, scores)

	candidates := make([]Candidate, 0, 2*len(scores.touchedDocs))
	for _, doc := range ix.withNeighbours(scores) {
		d := &ix.docs[doc]
		if r.allowed(d) {
			own, beside := scores.docs[doc], scores.neighbours(ix, doc)
			candidates = append(candidates, Candidate{
				MemoryID: d.memory, Score: float64(own + neighbourShare*beside), own: own, beside: beside,
			})
		}
	}
	return best(candidates), nil
}

// accumulate adds up the terms' weights by chunk and takes each document's
// best chunk.
func (ix *index) accumulate(terms []string, acc *accumulator) {
	if len(ix.chunkDoc) == 0 {
		return
	}
	mean := float32(ix.totalLen) / float32(len(ix.chunkDoc))
	if mean == 0 {
		return
	}
	for _, term := range terms {
		id, ok := ix.terms[term]
		if !ok {
			continue
		}
		list := ix.postings[id]
		idf := float32(inverseDocumentFrequency(len(ix.chunkDoc), len(list)))
		for _, p := range list {
			c := p.chunk()
			if acc.chunks[c] == 0 {
				acc.touchedChunks = append(acc.touchedChunks, c)
			}
			acc.chunks[c] += idf * termWeight(p.tf(), float32(ix.chunkLen[c]), mean)
		}
	}
	for _, c := range acc.touchedChunks {
		doc := ix.chunkDoc[c]
		if acc.docs[doc] == 0 {
			acc.touchedDocs = append(acc.touchedDocs, doc)
		}
		acc.docs[doc] = max(acc.docs[doc], acc.chunks[c])
	}
}

// withNeighbours lists every document that matched or stands beside one.
func (ix *index) withNeighbours(acc *accumulator) []uint32 {
	all := acc.touchedDocs
	for _, doc := range acc.touchedDocs {
		for _, n := range [...]int32{ix.docs[doc].prev, ix.docs[doc].next} {
			if n >= 0 && acc.docs[n] == 0 && !acc.beside[n] {
				acc.beside[n] = true
				all = append(all, uint32(n))
			}
		}
	}
	acc.listed = all
	return all
}

// accumulator is the working memory of one search, reused between searches.
type accumulator struct {
	chunks, docs  []float32
	beside        []bool
	touchedChunks []uint32
	touchedDocs   []uint32
	listed        []uint32
}

var scratch = sync.Pool{New: func() any { return new(accumulator) }}

func (a *accumulator) reset(chunks, docs int) {
	for _, c := range a.touchedChunks {
		a.chunks[c] = 0
	}
	for _, d := range a.listed {
		a.docs[d], a.beside[d] = 0, false
	}
	for _, d := range a.touchedDocs {
		a.docs[d] = 0
	}
	a.touchedChunks, a.touchedDocs, a.listed = a.touchedChunks[:0], a.touchedDocs[:0], nil
	if len(a.chunks) < chunks {
		a.chunks = make([]float32, chunks+chunks/4)
	}
	if len(a.docs) < docs {
		a.docs = make([]float32, docs+docs/4)
		a.beside = make([]bool, docs+docs/4)
	}
}

// neighbours adds up the own scores of the turns before and after.
func (a *accumulator) neighbours(ix *index, doc uint32) (sum float32) {
	d := &ix.docs[doc]
	if d.prev >= 0 {
		sum += a.docs[d.prev]
	}
	if d.next >= 0 {
		sum += a.docs[d.next]
	}
	return sum
}
