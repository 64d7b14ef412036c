package lexicon

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ebbmem/ebb/internal/quickselect"
	"github.com/ebbmem/ebb/internal/topics"
)

// conceptFactor is the weight of concepts beside topics. With more, questions in other
// words find more and ordinary ones less; internal/topics/README.md has the figures.
const conceptFactor = 0.1

// Asked compares the topics and concepts of documents with those of a question. It is not
// safe for concurrent use.
type Asked struct {
	themes   *Themes
	question *topics.Question
	compared [1 << 10]Near // by the last bits of the document
	fetched  byte          // what [Asked.Fetch] read, without a meaning
}

// Near is a document's similarity to a question, 0–1.
type Near struct {
	Doc   uint32
	Value float64
}

// Ask prepares a question. Topics and concepts that are rare in the memory weigh
// more. It returns nil if none of the question is known.
func (t *Themes) Ask(question string) *Asked {
	asked := topics.Of(question)
	if asked.Empty() {
		return nil
	}
	a := &Asked{themes: t, question: t.Census.Ask(asked, conceptFactor)}
	a.compared[0].Doc = 1 // in no place is the document that belongs there
	return a
}

// Fetch reads the beginning of a document's set into the processor's cache. Called for
// many documents in a row, their waits for memory overlap.
func (a *Asked) Fetch(doc int32) {
	if t := a.themes; doc >= 0 {
		if at := t.start(uint32(doc)); int(at) < len(t.codes) {
			a.fetched += t.codes[at]
		}
	}
}

// Near is the similarity of a document; 0 for no document, which is -1. A ranker asks for
// that of candidates and of their neighbours, which often are candidates too.
func (a *Asked) Near(doc int32) float64 {
	if doc < 0 {
		return 0
	}
	near := &a.compared[doc%int32(len(a.compared))]
	if near.Doc != uint32(doc) {
		*near = Near{uint32(doc), a.question.Near(a.themes.Of(uint32(doc)))}
	}
	return near.Value
}

// Nearest returns up to n of the documents that are admitted and similar, the most
// similar first, of equal ones the older. Of a large memory it reads [themeReach].
func (a *Asked) Nearest(n int, admits func(doc uint32) bool) (found []Near) {
	least, full := 0.0, n+n/4 // the similarity that the best exceed, computed again at so many
	docs := a.touched()
	for _, doc := range docs {
		a.Fetch(int32(doc))
	}
	for _, doc := range docs {
		near := a.question.Above(a.themes.Of(doc), least)
		if near == 0 || !admits(doc) {
			continue
		}
		if found = append(found, Near{doc, near}); len(found) >= full {
			found, least = nearest(found, n)
			full = len(found) + n/4
		}
	}
	slices.SortFunc(found, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Doc, b.Doc)) })
	found = found[:min(len(found), n)]
	for _, near := range found {
		a.compared[near.Doc%uint32(len(a.compared))] = near
	}
	return found
}

// nearest keeps the n nearest, with all that are as near as the last of them. It returns
// the similarity of that one.
func nearest(found []Near, n int) (kept []Near, least float64) {
	values := make([]float64, len(found))
	for i := range found {
		values[i] = found[i].Value
	}
	least = quickselect.NthLargest(values, n)
	return slices.DeleteFunc(found, func(near Near) bool { return near.Value < least }), least
}

// themeReach is how many documents the topic arm compares with a question. In a larger
// memory it takes those that share a concept, then those about the nearest topics, the
// newest first: most questions are related to a large part of what a user says in years.
const themeReach = 2048

// touched lists, in order, up to [themeReach] documents that have a concept or topic of
// the question or a related topic.
func (a *Asked) touched() []uint32 {
	t := a.themes
	marks := make([]uint64, (len(t.ends)+63)/64) // a bit for each
	left := themeReach
	for _, code := range a.question.Topics() {
		if int(code) >= len(t.places) || t.places[code] == 0 {
			continue
		}
		about := &t.about[t.places[code]-1]
		newest := left
		if len(t.ends) <= themeReach {
			newest = len(t.ends)
		}
		for doc := range about.Newest(newest) {
			if bit := uint64(1) << (doc % 64); marks[doc/64]&bit == 0 {
				marks[doc/64] |= bit
				left--
			}
		}
		if left <= 0 {
			break
		}
	}
	for doc := range t.late {
		marks[doc/64] |= 1 << (doc % 64)
	}
	docs := make([]uint32, 0, themeReach+len(t.late))
	for i, some := range marks {
		for ; some != 0; some &= some - 1 {
			docs = append(docs, uint32(64*i+bits.TrailingZeros64(some)))
		}
	}
	return docs
}
