package prompt

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall/lexicon"
)

// latest returns the later lines that most likely change what a line says, of those that have the
// most rare words in common with it, such as names: "Mabel wrote, it's called off" shares no other
// word with "tiny one: Mabel and Rob, just the two of them and two witnesses", nor with a question
// about that wedding.
func (s *Lines) latest(l *line) []*line {
	shared, seen := make(map[int32]float64), make(map[string]bool)
	for _, c := range l.claims {
		for _, term := range c.terms {
			of := s.terms[term]
			if seen[term] || len(of) < 2 || len(of) > mostLatest || lexicon.IsGeneric(term) || text.IsStopWord(term) {
				continue
			}
			seen[term] = true
			share := math.Log(1 + mostLatest/float64(len(of)))
			if lexicon.IsUnspaced(term) {
				share *= unspacedShare
			}
			for _, at := range of {
				if later := s.all[at]; later.Said.After(l.Said) && l.ofSame(later) {
					shared[at] += share
				}
			}
		}
	}
	type candidate struct {
		*line
		shared, p float64
	}
	var found []candidate
	for at, share := range shared {
		if share >= leastLatest {
			found = append(found, candidate{line: s.all[at], shared: share})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.shared, a.shared), b.place-a.place) })
	found = found[:min(len(found), comparedLatest)]
	for i := range found {
		for _, pair := range s.pairsOf(found[i].line) {
			if pair.Old == l.place {
				found[i].p = pair.P
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.p, a.p) })
	var latest []*line
	for _, c := range found[:min(len(found), latestLines)] {
		if c.p >= latestP {
			latest = append(latest, c.line)
		}
	}
	return latest
}

// pairCache keeps what [Lines.pairs] returned.
type pairCache struct {
	sync.Mutex
	of map[int][]Pair
}

func (s *Lines) pairsOf(later *line) []Pair {
	s.compared.Lock()
	defer s.compared.Unlock()
	pairs, known := s.compared.of[later.place]
	if !known {
		if s.compared.of == nil {
			s.compared.of = make(map[int][]Pair)
		}
		pairs = s.pairs(later)
		s.compared.of[later.place] = pairs
	}
	return pairs
}

// Parameters of [Lines.latest]: in how many lines a rare word may stand, the weight of a pair of
// characters, the least that lines have in common, how many of the likest are compared by
// [relevance.Changes], and how many, from a probability of latestP on, are shown with each of the latestWith
// most relevant lines. In four lives of others that leaves 4.0 instead of 11.9 % of the questions about changes
// with an earlier state alone, after a year; with 12 lines and 5 of the likest 5.0.
const (
	mostLatest     = 12
	unspacedShare  = 0.6
	leastLatest    = 1
	comparedLatest = 4
	latestLines    = 2
	latestWith     = 8
	latestP        = 0.005
)
