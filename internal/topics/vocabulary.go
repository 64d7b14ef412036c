package topics

import (
	"bytes"
	"math"
	"slices"
)

// A Vocabulary holds the topics and concepts of an index's terms, so that the sets of
// its texts need no look-up of words. From prepared text it makes the set that [Of]
// makes from the original. It is not safe for concurrent use while terms are added.
type Vocabulary struct {
	terms  []uint16 // by number of the term, its index in known; 0 = unknown
	firsts []uint32 // by number of the term, the [wordHash] of its first word; 0 = none
	known  []known
	lists  []weighted
	han    bool // any term is Chinese
}

// known is what a term is about.
type known struct {
	function uint8  // languages of which it is a function word, a bit each
	last     uint32 // the [wordHash] of its last word
	about    [dictionaryCount]about
}

// about is what a dictionary says of a term.
type about struct {
	from    uint32               // in lists
	lengths [languageCount]uint8 // of the lists, one for each language it may be read in
	opens   uint8                // languages of which phrases may begin with it, a bit each
}

// Len is the number of terms.
func (v *Vocabulary) Len() int { return len(v.terms) }

// Add adds the next term.
func (v *Vocabulary) Add(term []byte) {
	r := newReader()
	defer r.done()
	if len(v.known) == 0 {
		v.known = append(v.known, known{})
	}
	var k known
	var space [maxPhrase]word
	var letters [64]byte
	folded, list := split(string(term), letters[:0], space[:0])
	guess(folded, list)
	for _, w := range list {
		k.function |= w.function
		v.han = v.han || w.han
	}
	var first uint32
	if len(list) > 0 {
		last := list[len(list)-1]
		first, k.last = wordHash(folded[list[0].from:list[0].to]), wordHash(folded[last.from:last.to])
	}
	v.firsts = append(v.firsts, first)
	before, used := len(v.lists), k.function != 0
	for d := range k.about {
		r.dictionary = &r.dictionaries[d]
		k.about[d] = v.read(&r, folded, list)
		used = used || k.about[d].opens != 0
	}
	if !used && len(v.lists) == before || len(v.known) > math.MaxUint16 {
		v.lists, v.terms = v.lists[:before], append(v.terms, 0)
		return
	}
	v.terms = append(v.terms, uint16(len(v.known)))
	v.known = append(v.known, k)
}

// read looks a term's words up in the reader's dictionary.
func (v *Vocabulary) read(r *reader, folded []byte, list []word) about {
	a := about{from: uint32(len(v.lists))}
	for lang := range languageCount {
		for i, w := range list {
			if w.han {
				continue
			}
			if i == len(list)-1 && r.languages[lang].find(opens, folded[w.from:w.to]) != 0 {
				a.opens |= 1 << lang
			}
			r.readWord(lang, folded, list[i:i+1], 1)
		}
		a.lengths[lang] = v.enter(r.sums)
	}
	return a
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
		if place := v.terms[term]; place > 0 {
			found = true
			count(&hits, v.known[place].function)
		}
	}
	if !found && !v.han {
		return codes
	}
	r := newReader()
	defer r.done()
	if v.han {
		r.readBigrams(prepared)
	}
	if found {
		lang, certain := surest(&hits)
		first, last := lang, lang
		if !certain {
			first, last = 0, languageCount-1
		}
		for d := range r.dictionaries {
			r.dictionary = &r.dictionaries[d]
			v.addTerms(&r, d, first, last, prepared, terms)
		}
	}
	return r.appendCodes(codes)
}

// addTerms adds what the terms of a prepared text are about by the dictionary d, in the
// languages from first to last.
func (v *Vocabulary) addTerms(r *reader, d int, first, last language, prepared []byte, terms []uint32) {
	for i := 0; i < len(terms); {
		n := 1
		if place := v.terms[terms[i]]; place > 0 {
			var next uint32
			if i+1 < len(terms) {
				next = v.firsts[terms[i+1]]
			}
			n = v.addTerm(r, d, &v.known[place], next, first, last, func() []byte { return from(prepared, i) })
		}
		i += n
	}
}

// from returns a prepared text without its first n terms.
func from(prepared []byte, n int) []byte {
	for range n {
		prepared = bytes.TrimLeft(prepared, " ")
		prepared = prepared[max(0, bytes.IndexByte(prepared, ' ')):]
	}
	return bytes.TrimLeft(prepared, " ")
}

// addTerm adds what a term is about, or the longest phrase that begins with it, and
// returns how many terms that took. next is the [wordHash] of the next word, 0 if there
// is none. rest returns the text from the term on.
func (v *Vocabulary) addTerm(r *reader, d int, k *known, next uint32, first, last language, rest func() []byte) int {
	a := &k.about[d]
	n, at := 1, a.from
	for lang := range languageCount {
		list := v.lists[at : at+uint32(a.lengths[lang])]
		at += uint32(a.lengths[lang])
		if lang < first || lang > last {
			continue
		}
		if a.opens>>lang&1 != 0 && next != 0 && r.pairs.has(pairOf(d, lang, k.last, next)) {
			if s, terms := r.phraseOf(rest(), lang); terms > 0 {
				n = max(n, terms)
				r.met(s, 1)
				continue
			}
		}
		for _, t := range list {
			r.add(t.code, t.weight)
		}
	}
	return n
}

// readBigrams adds what the Chinese words of a prepared text are about. There a run
// of characters is a sequence of overlapping pairs: read separately, every
// character would count twice and longer words would be missed.
func (r *reader) readBigrams(prepared []byte) {
	var space [256]byte
	run := space[:0]
	end := func() {
		r.readHanTwice(run)
		run = run[:0]
	}
	for term := range bytes.FieldsSeq(prepared) {
		if !isHan(term) {
			end()
			if !slices.ContainsFunc(term, func(b byte) bool { return b >= hanByte }) {
				continue
			}
			var words [maxPhrase]word
			var letters [64]byte
			folded, list := split(string(term), letters[:0], words[:0])
			for _, w := range list {
				if w.han {
					r.readHanTwice(folded[w.from:w.to])
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

// hanByte is the least first byte of a Chinese character. No letter of the other
// languages has a byte as large.
const hanByte = 0xe3

// readHanTwice applies readHan with each dictionary.
func (r *reader) readHanTwice(run []byte) {
	for d := range r.dictionaries {
		r.dictionary = &r.dictionaries[d]
		r.readHan(run)
	}
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

// phraseOf applies [reader.phrase] to the terms that a prepared text begins with.
func (r *reader) phraseOf(prepared []byte, lang language) (span, int) {
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
	return r.phrase(lang, folded, list)
}
