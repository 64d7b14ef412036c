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
	l := lexicon()
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
			if !w.han && i == len(list)-1 && l.languages[lang].opens[string(written)] {
				k.opens |= 1 << lang
			}
		}
		k.lengths[lang] = v.enter(func(sums *[maxTopics]float32) {
			for i, w := range list {
				if !w.han {
					l.readWord(lang, folded, list[i:i+1], 1, sums)
				}
			}
		})
	}
	v.han = v.han || slices.ContainsFunc(list, func(w word) bool { return w.han })
	if k == (known{from: k.from}) || len(v.known) > math.MaxUint16 {
		v.lists, v.terms = v.lists[:k.from], append(v.terms, 0)
		return
	}
	v.terms = append(v.terms, uint16(len(v.known)))
	v.known = append(v.known, k)
}

// enter appends the topics that read finds to the lists and returns their number.
func (v *Vocabulary) enter(read func(*[maxTopics]float32)) (n uint8) {
	var sums [maxTopics]float32
	read(&sums)
	for i, w := range sums {
		if w > 0 {
			v.lists = append(v.lists, weighted{uint8(i), w})
			n++
		}
	}
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
	var sums [maxTopics]float32
	if v.han {
		readBigrams(prepared, &sums)
	} else if !found {
		return codes
	}
	lang, certain := surest(&hits)
	first, last := lang, lang
	if !certain {
		first, last = 0, languageCount-1
	}
	for len(terms) > 0 {
		n := 1
		if place := v.terms[terms[0]]; place > 0 {
			prepared = bytes.TrimLeft(prepared, " ")
			n = v.read(&v.known[place], first, last, prepared, &sums)
		}
		for range min(n, len(terms)) {
			prepared, terms = bytes.TrimLeft(prepared, " "), terms[1:]
			prepared = prepared[max(0, bytes.IndexByte(prepared, ' ')):]
		}
	}
	return appendCodes(codes, &sums)
}

// read adds the topics of the term that prepared begins with, or of the longest
// phrase, and returns how many terms that took.
func (v *Vocabulary) read(k *known, first, last language, prepared []byte, sums *[maxTopics]float32) int {
	n, at := 1, k.from
	for lang := range languageCount {
		list := v.lists[at : at+uint32(k.lengths[lang])]
		at += uint32(k.lengths[lang])
		if lang < first || lang > last {
			continue
		}
		if k.opens>>lang&1 != 0 {
			if s, terms := phraseOf(prepared, lang); terms > 0 {
				n = max(n, terms)
				lexicon().met(s, 1, sums)
				continue
			}
		}
		add(list, sums)
	}
	return n
}

// readBigrams adds the topics of the Chinese words of a prepared text. There a run
// of characters is a sequence of overlapping pairs: read separately, every
// character would count twice and longer words would be missed.
func readBigrams(prepared []byte, sums *[maxTopics]float32) {
	var space [256]byte
	run := space[:0]
	end := func() {
		lexicon().readHan(run, sums)
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
					lexicon().readHan(folded[w.from:w.to], sums)
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

func add(list []weighted, sums *[maxTopics]float32) {
	for _, t := range list {
		sums[t.topic] = both(sums[t.topic], t.weight)
	}
}

// phraseOf applies table.phrase to the terms that a prepared text begins with.
func phraseOf(prepared []byte, lang language) (span, int) {
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
	var letters [3 * 64]byte
	folded, list := split(string(prepared[:end]), letters[:0], space[:0])
	if len(list) == 0 {
		return span{}, 0
	}
	return lexicon().languages[lang].phrase(folded, list)
}
