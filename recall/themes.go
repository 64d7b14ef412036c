package recall

import (
	"slices"

	"github.com/ebbmem/ebb/internal/topics"
)

// themes indexes the everyday topics of a user's documents (see package topics): the
// set of each document, and for each topic the documents about it. They take some 20
// bytes for a turn of a chat.
type themes struct {
	vocabulary topics.Vocabulary // of the index's terms
	census     topics.Census     // of the documents that the statistics count

	codes []byte   // of all sets, one after another
	ends  []uint32 // in codes, by document
	about []postings
	// late holds the sets of documents that got another chunk after later documents
	// were added. The postings may lack topics of these.
	late map[uint32][]byte
}

// add indexes a chunk of a known document or of the next one.
func (t *themes) add(doc uint32, prepared []byte, terms []uint32, counted bool) {
	isNew := int(doc) == len(t.ends)
	start := len(t.codes)
	if !isNew {
		start = int(t.start(doc))
	}
	var before, now topics.Set
	if isNew {
		t.codes = t.vocabulary.Append(t.codes, prepared, terms)
		t.ends = append(t.ends, uint32(len(t.codes)))
		now = t.of(doc)
	} else {
		more := topics.FromCodes(t.vocabulary.Append(nil, prepared, terms))
		if more.Empty() {
			return
		}
		before = topics.FromCodes(slices.Clone(t.of(doc).Codes()))
		now = topics.Join(before, more)
		if int(doc)+1 < len(t.ends) {
			if t.late == nil {
				t.late = make(map[uint32][]byte)
			}
			t.late[doc] = now.Codes()
		} else {
			t.codes = append(t.codes[:start], now.Codes()...)
			t.ends[doc] = uint32(len(t.codes))
		}
	}
	if counted {
		if !isNew {
			t.census.Remove(before)
		}
		t.census.Add(now)
	}
	if int(doc)+1 < len(t.ends) {
		return
	}
	for topic := range now.Topics() {
		if !isNew && before.Has(topic) {
			continue
		}
		if int(topic) >= len(t.about) {
			t.about = append(t.about, make([]postings, int(topic)+1-len(t.about))...)
		}
		t.about[topic].add(doc, 1)
	}
}

// start is where a document's codes begin.
func (t *themes) start(doc uint32) uint32 {
	if doc == 0 {
		return 0
	}
	return t.ends[doc-1]
}

// of is the set of a document. It is valid until the next add.
func (t *themes) of(doc uint32) topics.Set {
	if late, ok := t.late[doc]; ok {
		return topics.FromCodes(late)
	}
	return topics.FromCodes(t.codes[t.start(doc):t.ends[doc]])
}

// ask prepares a question. Topics that are rare in the memory weigh more. It returns
// nil if none of the question's topics is known.
func (t *themes) ask(question string) *topics.Question {
	asked := topics.Of(question)
	if asked.Empty() {
		return nil
	}
	return t.census.Ask(asked)
}

// themeReach is how many documents the topic arm compares with a question. In a larger
// memory it takes those about the nearest topics, the newest first: most questions are
// related to a large part of what a user says in years.
const themeReach = 2048

// touched marks up to [themeReach] documents that have a topic of the question or a
// related one, a bit each.
func (t *themes) touched(q *topics.Question) []uint64 {
	marks := make([]uint64, (len(t.ends)+63)/64)
	left := themeReach
	for _, topic := range q.Topics() {
		if int(topic) >= len(t.about) {
			continue
		}
		about := &t.about[topic]
		older := 0
		if len(t.ends) > themeReach {
			older = max(0, int(about.n)-left)
		}
		for doc := range about.all() {
			if older > 0 {
				older--
				continue
			}
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
	return marks
}

// fit frees spare capacity.
func (t *themes) fit() {
	t.codes, t.ends = slices.Clone(t.codes), slices.Clone(t.ends)
	for i := range t.about {
		t.about[i].coded = slices.Clone(t.about[i].coded)
	}
}
