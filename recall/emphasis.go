package recall

import (
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
)

// asideShare is the emphasis of generic words; see [lexicon.IsGeneric].
const asideShare = 0.1

// emphasis is how much each part of the question says about its topic, 0–1. All
// words count the same except generic ones, unless they are names: "Go", which as a stop word
// would be no part.
//
// In a script without spaces, most of a question's bigrams span two words and are in
// no memory for that reason alone. A bigram that is not in the memory counts 0 if it
// holds a function character. Otherwise each of its characters that a neighbouring
// bigram accounts for takes off ½.
func (q *question) emphasis(ix *index) []float64 {
	asked := make(map[string]bool, len(q.parts))
	for _, p := range q.parts {
		asked[p.term] = true
	}
	accounted := func(at int) bool {
		term := q.terms[at]
		return !asked[term] || lexicon.IsFunctional(term) || ix.holding(term) > 0
	}
	of := make(map[string]float64, len(q.parts))
	for i, term := range q.terms {
		if !asked[term] {
			continue
		}
		e := 1.0
		switch {
		case lexicon.IsGeneric(term) && !text.IsStopWord(term), lexicon.IsFunctional(term) && ix.holding(term) > 0:
			e = asideShare
		case lexicon.IsFunctional(term):
			e = 0
		case lexicon.IsUnspaced(term) && ix.holding(term) == 0:
			if i > 0 && overlap(q.terms[i-1], term) && accounted(i-1) {
				e -= 0.5
			}
			if i+1 < len(q.terms) && overlap(term, q.terms[i+1]) && accounted(i+1) {
				e -= 0.5
			}
		}
		of[term] = max(of[term], e)
	}
	return q.share(of)
}

// share lists the emphasis of the parts, the same for all if all are 0.
func (q *question) share(of map[string]float64) []float64 {
	emphasis, sum := make([]float64, len(q.parts)), 0.0
	for i, p := range q.parts {
		emphasis[i] = of[p.term]
		sum += emphasis[i]
	}
	if sum == 0 {
		for i := range emphasis {
			emphasis[i] = asideShare
		}
	}
	return emphasis
}

// overlap reports whether two consecutive bigrams share a character.
func overlap(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return last == first && lexicon.IsUnspaced(a)
}
