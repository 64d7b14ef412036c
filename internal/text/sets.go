package text

import (
	"math"
	"math/bits"
)

// TermSet holds the terms of one of several texts as bits, numbered across all of
// them.
type TermSet struct {
	bits []uint64
	n    int
}

// TermSets returns the sets of the terms of texts.
func TermSets(texts []string) []TermSet {
	sets := make([]TermSet, len(texts))
	numbers := make(map[string]int, 32*len(texts))
	for i := range texts {
		s := &sets[i]
		for _, t := range Terms(texts[i]) {
			number, known := numbers[t]
			if !known {
				number = len(numbers)
				numbers[t] = number
			}
			for len(s.bits) <= number/64 {
				s.bits = append(s.bits, 0)
			}
			if bit := uint64(1) << (number % 64); s.bits[number/64]&bit == 0 {
				s.bits[number/64] |= bit
				s.n++
			}
		}
	}
	return sets
}

func (a TermSet) shared(b TermSet) (shared int) {
	for i := range min(len(a.bits), len(b.bits)) {
		shared += bits.OnesCount64(a.bits[i] & b.bits[i])
	}
	return shared
}

// Len returns the number of terms.
func (a TermSet) Len() int { return a.n }

// Within reports whether b has all terms of a.
func (a TermSet) Within(b TermSet) bool { return a.shared(b) == a.n }

// Jaccard is |a ∩ b| / |a ∪ b|, 0–1; 0 for two empty sets.
func (a TermSet) Jaccard(b TermSet) float64 {
	shared := a.shared(b)
	if union := a.n + b.n - shared; union > 0 {
		return float64(shared) / float64(union)
	}
	return 0
}

// Cosine is |a ∩ b| / √(|a|·|b|), 0–1; 0 for an empty set.
func (a TermSet) Cosine(b TermSet) float64 {
	if a.n == 0 || b.n == 0 {
		return 0
	}
	return float64(a.shared(b)) / math.Sqrt(float64(a.n)*float64(b.n))
}

// TermsOf returns the [Terms] of texts as a set.
func TermsOf(texts ...string) map[string]bool {
	set := make(map[string]bool)
	for _, s := range texts {
		scan(s, func(_ []byte, term string) { set[term] = true })
	}
	return set
}

// Held counts the terms that a text holds.
func Held(terms []string, s string) (n int) {
	in := TermsOf(s)
	for _, t := range terms {
		if in[t] {
			n++
		}
	}
	return n
}
