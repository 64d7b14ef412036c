package recall

import (
	"github.com/ebbmem/ebb/schema"
)

// statistics are what BM25 knows of one user's text. They count what is
// current: a claim that is retired, superseded or quarantined stays findable,
// but weighs on no other text.
type statistics struct {
	holding []uint32 // by term, the chunks that hold it
	chunks  int
	words   int
}

// counted reports whether a document's text is part of the statistics: what
// was said always is.
func (l *label) counted() bool {
	return l.said() || l.current()
}

// current reports a document that is neither ended nor in doubt.
func (l *label) current() bool {
	return l.state&(bitOfState(schema.StateActive)|bitOfState(schema.StateDormant)) != 0
}

// count adds a chunk of these terms to the statistics, or takes it out with -1.
func (ix *index) count(terms []uint32, sign int) {
	ix.counts.chunks += sign
	ix.counts.words += sign * len(terms)
	ix.tally(terms, func(term uint32, _ int) { ix.counts.holding[term] += uint32(sign) })
}

// frequency is in how many chunks a term is.
func (ix *index) frequency(term uint32) int { return int(ix.counts.holding[term]) }

// meanLength is the mean number of terms in a chunk, 0 without any.
func (ix *index) meanLength() float32 {
	if ix.counts.chunks == 0 {
		return 0
	}
	return float32(ix.counts.words) / float32(ix.counts.chunks)
}

// change applies audited changes of state.
func (ix *index) change(changed map[int64]schema.State) {
	turned := make(map[uint32]int) // into or out of the statistics
	for memory, state := range changed {
		doc, ok := ix.find(memory)
		if !ok {
			continue
		}
		l := &ix.labels[doc]
		before := l.counted()
		l.state = bitOfState(state)
		switch {
		case !before && l.counted():
			turned[doc] = 1
			ix.themes.census.Add(ix.themes.of(doc))
		case before && !l.counted():
			turned[doc] = -1
			ix.themes.census.Remove(ix.themes.of(doc))
		}
	}
	if len(turned) == 0 {
		return
	}
	for at := range uint32(ix.chunks.len()) {
		if sign, ok := turned[ix.chunks.doc(at)]; ok {
			ix.count(ix.chunks.terms(nil, at), sign)
		}
	}
}
