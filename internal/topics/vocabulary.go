package topics

import (
	"bytes"
	"math"
	"slices"
)

// A Vocabulary holds the topics of an index's terms, so that the sets of its texts
// need no look-up of words. From prepared text it makes the set that [Of] makes
// from the original. It is not safe for concurrent use while terms are added.
type Vocabulary struct {
	terms []uint16 // by number of the term, its index in known; 0 = unknown
	known []known
	lists []weighted
	han   bool // any term is Chinese
}

// known are the topics and languages of one term.
type known struct {
	from     uint32               // in lists
	lengths  [languageCount]uint8 // of the lists, one for each language it may be read in
	function uint8                // languages of which it is a function word, a bit each
	opens    uint8                // languages of which phrases may begin with it, a bit each
}

// Add adds the next term.
func (v *Vocabulary) Add(term []byte) {
	r := reader{words: lexicon(), sums: pool.Get().(*sums)}
	defer pool.Put(r.sums)
	if len(v.known) == 0 {
		v.known = append(v.known, known{})
	}
	k := known{from: uint32(len(v.lists))}
	var space [maxPhrase]word
	var letters [64]byte
	folded, list := split(string(term), letters[:0], space[:0])
	for lang := range languageCount {
		for i, w := range list {
			written := folded[w.from:w.to]
			if !w.han && functionWords[string(written)][lang] {
				k.function |= 1 << lang
			}
			if !w.han && i == len(list)-1 && r.languages[lang].find(opens, written) != 0 {
				k.opens |= 1 << lang
			}
		}
		for i, w := range list {
			if !w.han {
				r.readWord(lang, folded, list[i:i+1], 0, 1)
			}
		}
		k.lengths[lang] = v.enter(r.sums)
	}
	v.han = v.han || slices.ContainsFunc(list, func(w word) bool { return w.han })
	if k == (known{from: k.from}) || len(v.known) > math.MaxUint16 {
		v.lists, v.terms = v.lists[:k.from], append(v.terms, 0)
		return
	}
	v.terms = append(v.terms, uint16(len(v.known)))
	v.known = append(v.known, k)
}

// enter appends what was added to the lists and returns the number.
func (v *Vocabulary) enter(s *sums) (n uint8) {
	slices.Sort(s.codes)
	for _, code := range s.codes[:min(len(s.codes), math.MaxUint8)] {
		v.lists = append(v.lists, weighted{code, s.weights[code]})
		n++
	}
	s.clear()
	return n
}

// Append appends to codes the codes of the set of a prepared text with these
// terms.
func (v *Vocabulary) Append(codes, prepared []byte, terms []uint32) []byte {
	var hits [languageCount]int
	found := false
	for _, term := range terms {
		place := v.terms[term]
		if place == 0 {
			continue
		}
		found = true
		for lang := range languageCount {
			hits[lang] += int(v.known[place].function >> lang & 1)
		}
	}
	r := reader{words: lexicon(), sums: pool.Get().(*sums)}
	defer pool.Put(r.sums)
	if v.han {
		r.readBigrams(prepared)
	} else if !found {
		return codes
	}
	lang, certain := surest(&hits)
	first, last := lang, lang
	if !certain {
		first, last = 0, languageCount-1
	}
	hidden := 0 // terms left of the last phrase
	for _, term := range terms {
		prepared = bytes.TrimLeft(prepared, " ")
		if place := v.terms[term]; place > 0 {
			hidden = max(hidden, v.read(&v.known[place], first, last, prepared, hidden, &r))
		}
		hidden = max(0, hidden-1)
		prepared = prepared[max(0, bytes.IndexByte(prepared, ' ')):]
	}
	return r.appendCodes(codes)
}

// read adds the topics of the term that prepared begins with, or of the longest
// phrase, and returns how many terms that took. Of hidden terms see [reader.readWord].
func (v *Vocabulary) read(k *known, first, last language, prepared []byte, hidden int, r *reader) int {
	n, at := 1, k.from
	for lang := range languageCount {
		list := v.lists[at : at+uint32(k.lengths[lang])]
		at += uint32(k.lengths[lang])
		if lang < first || lang > last {
			continue
		}
		if k.opens>>lang&1 != 0 {
			if s, terms := r.phraseOf(prepared, lang, hidden); terms > 0 {
				n = max(n, terms)
				r.met(s, 1)
				continue
			}
		}
		if hidden > 0 {
			continue
		}
		for _, t := range list {
			r.add(t.code, t.weight)
		}
	}
	return n
}

// readBigrams adds the topics of the Chinese words of a prepared text. There a run
// of characters is a sequence of overlapping pairs: read separately, every
// character would count twice and longer words would be missed.
func (r *reader) readBigrams(prepared []byte) {
	var space [256]byte
	run := space[:0]
	end := func() {
		r.readHan(run)
		run = run[:0]
	}
	for term := range bytes.FieldsSeq(prepared) {
		if !isHan(term) {
			end()
			var words [maxPhrase]word
			var letters [64]byte
			folded, list := split(string(term), letters[:0], words[:0])
			for _, w := range list {
				if w.han {
					r.readHan(folded[w.from:w.to])
				}
			}
			continue
		}
		if len(run) > 0 && len(term) == 6 && bytes.Equal(run[len(run)-3:], term[:3]) {
			run = append(run, term[3:]...)
			continue
		}
		end()
		run = append(run, term...)
	}
	end()
}

// isHan reports whether a term consists of Chinese characters, which take three
// bytes each.
func isHan(term []byte) bool {
	for _, r := range string(term) {
		if fold(r) < firstHan {
			return false
		}
	}
	return true
}

// phraseOf applies reader.phrase to the terms that a prepared text begins with.
func (r *reader) phraseOf(prepared []byte, lang language, hidden int) (span, int) {
	end := 0
	for range maxPhrase {
		next := bytes.IndexByte(prepared[min(end+1, len(prepared)):], ' ')
		if next < 0 {
			end = len(prepared)
			break
		}
		end += 1 + next
	}
	var space [maxPhrase]word
	var letters [maxPhrase * 64]byte
	folded, list := split(string(prepared[:end]), letters[:0], space[:0])
	if len(list) == 0 {
		return 0, 0
	}
	return r.phrase(lang, folded, list, hidden)
}
