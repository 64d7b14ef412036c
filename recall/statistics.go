package recall

import "github.com/ebbmem/ebb/schema"

// statistics are BM25's counts over one user's text. They cover current memories
// only: a claim that is retired, superseded or quarantined can be found, but does not
// affect the scores of other texts.
type statistics struct {
	holding []uint32 // by term, the chunks that hold it
	chunks  int
	words   int
}

// counted reports whether a document's text is part of the statistics. Episodes always
// are.
func (l *docMeta) counted() bool {
	return l.said() || l.current()
}

// current reports a document that is active or dormant.
func (l *docMeta) current() bool {
	return l.state&(bitOfState(schema.StateActive)|bitOfState(schema.StateDormant)) != 0
}

// count adds a chunk with these terms to the statistics, or removes it if sign is -1.
func (ix *index) count(terms []uint32, sign int) {
	ix.counts.chunks += sign
	ix.counts.words += sign * len(terms)
	ix.tally(terms, func(term uint32, _ int) { ix.counts.holding[term] += uint32(sign) })
}

// frequency is the number of counted chunks that hold a term.
func (ix *index) frequency(term uint32) int { return int(ix.counts.holding[term]) }

// meanLength is the mean number of terms in a chunk, 0 without any.
func (ix *index) meanLength() float32 {
	if ix.counts.chunks == 0 {
		return 0
	}
	return float32(ix.counts.words) / float32(ix.counts.chunks)
}

// change applies changes of state from the audit log.
func (ix *index) change(changed map[int64]schema.State) {
	turned := make(map[uint32]int) // into or out of the statistics
	for memory, state := range changed {
		doc, ok := ix.find(memory)
		if !ok {
			continue
		}
		l := &ix.meta[doc]
		before := l.counted()
		l.state = bitOfState(state)
		switch {
		case !before && l.counted():
			turned[doc] = 1
			ix.themes.Census.Add(ix.themes.Of(doc))
		case before && !l.counted():
			turned[doc] = -1
			ix.themes.Census.Remove(ix.themes.Of(doc))
		}
	}
	if len(turned) == 0 {
		return
	}
	for at := range uint32(ix.chunks.Len()) {
		if sign, ok := turned[ix.chunks.Doc(at)]; ok {
			ix.count(ix.chunks.Terms(nil, at), sign)
		}
	}
}
