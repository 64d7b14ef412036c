package lexicon

import (
	"bytes"
	"slices"

	"github.com/ebbmem/ebb/internal/topics"
)

// Themes keeps the everyday topics and concepts of a user's documents (see package
// topics): the set of each document, and for each topic or concept the documents about
// it. They take some 130 bytes for a short turn of a chat.
type Themes struct {
	Vocabulary topics.Vocabulary // Of the index's terms
	Census     topics.Census     // Of the documents that the statistics count

	codes []byte   // Of all sets, one after another
	ends  []uint32 // in codes, by document
	about []Postings
	// places holds by code the place in about, from 1; 0 if no document is about it.
	places []uint16
	// late holds the sets of documents that got another chunk after later documents
	// were added. The postings may lack topics of these.
	late map[uint32][]byte
}

// A Text is a chunk of a document. Its terms are numbered in the order in which they occur
// first in the texts.
type Text struct {
	Doc      uint32
	Counted  bool // in the statistics
	Prepared []byte
	Terms    []uint32 // of Prepared, in order
}

// Add indexes a chunk of a known document or of the next one.
func (t *Themes) Add(text Text) {
	t.learn(text.Prepared, text.Terms)
	doc := text.Doc
	isNew := int(doc) == len(t.ends)
	start := len(t.codes)
	if !isNew {
		start = int(t.start(doc))
	}
	var before, now topics.Set
	if isNew {
		t.codes = t.Vocabulary.Append(t.codes, text.Prepared, text.Terms)
		t.ends = append(t.ends, uint32(len(t.codes)))
		now = t.Of(doc)
	} else {
		more := topics.FromCodes(t.Vocabulary.Append(nil, text.Prepared, text.Terms))
		if more.Empty() {
			return
		}
		before = topics.FromCodes(slices.Clone(t.Of(doc).Codes()))
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
	if text.Counted {
		if !isNew {
			t.Census.Remove(before)
		}
		t.Census.Add(now)
	}
	if int(doc)+1 < len(t.ends) {
		return
	}
	for code := range now.Weights() {
		if isNew || !before.Has(code) {
			t.documentsOf(code).Add(doc, 1)
		}
	}
}

// learn adds the new ones of the terms of a prepared text to the vocabulary.
func (t *Themes) learn(prepared []byte, terms []uint32) {
	if len(terms) == 0 || int(slices.Max(terms)) < t.Vocabulary.Len() {
		return
	}
	for term := range bytes.FieldsSeq(prepared) {
		if len(terms) == 0 {
			return // the index cuts very long texts
		}
		if int(terms[0]) == t.Vocabulary.Len() {
			t.Vocabulary.Add(term)
		}
		terms = terms[1:]
	}
}

// documentsOf returns the documents about a topic or concept.
func (t *Themes) documentsOf(code uint16) *Postings {
	if int(code) >= len(t.places) {
		t.places = append(t.places, make([]uint16, int(code)+1-len(t.places))...)
	}
	if t.places[code] == 0 {
		t.about = append(t.about, Postings{})
		t.places[code] = uint16(len(t.about))
	}
	return &t.about[t.places[code]-1]
}

// start is where a document's codes begin.
func (t *Themes) start(doc uint32) uint32 {
	if doc == 0 {
		return 0
	}
	return t.ends[doc-1]
}

// Of is the set of a document. It is valid until the next Add.
func (t *Themes) Of(doc uint32) topics.Set {
	if len(t.late) > 0 {
		if late, ok := t.late[doc]; ok {
			return topics.FromCodes(late)
		}
	}
	return topics.FromCodes(t.codes[t.start(doc):t.ends[doc]])
}

// Fit frees spare capacity.
func (t *Themes) Fit() {
	t.codes, t.ends = slices.Clone(t.codes), slices.Clone(t.ends)
	for i := range t.about {
		t.about[i].Coded = slices.Clone(t.about[i].Coded)
	}
}
