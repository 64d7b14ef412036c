package prompt

import (
	"maps"
	"slices"

	"github.com/ebbmem/ebb/recall/fluency"
	"github.com/ebbmem/ebb/recall/vector"
)

// Meaning is a question and claims as an embedder understands them. The zero value
// understands nothing. The messages that claims are from add nothing: of what English
// questions need, the section contains 96.9 % with their vectors and 97.0 without.
type Meaning struct {
	Generation int64 // of the vectors

	Question []float32             // of length 1
	Of       map[int64][][]float32 // likewise, by the id of the claim
}

// Claims returns the ids of the claims that the lines rest on.
func (s *Lines) Claims() (ids []int64) {
	for _, l := range s.all {
		for _, c := range l.claims {
			ids = append(ids, c.claim.ID)
		}
	}
	return ids
}

// standing returns how many standard deviations each line's cosine with the question lies
// above the usual of the lines, by position, times the trust in the embedder; 0 for those
// below, and for those without a vector.
func (s *Lines) standing(m Meaning) []float64 {
	above := make([]float64, len(s.all))
	if len(m.Of) == 0 {
		return above
	}
	nearest := make(map[int32]float32)
	for id, lines := range s.restOn {
		for _, v := range m.Of[id] {
			cosine := vector.Dot(m.Question, v)
			for _, l := range lines {
				if best, known := nearest[l]; !known || cosine > best {
					nearest[l] = cosine
				}
			}
		}
	}
	usual, trust := vector.DistributionOf(slices.Collect(maps.Values(nearest))), s.trust(m)
	for l, cosine := range nearest {
		if usual.Deviation > 0 {
			above[l] = trust * max(0, float64(cosine)-usual.Mean) / usual.Deviation
		}
	}
	return above
}

// trust is how far the vectors of the lines can be trusted, 0–1.
func (s *Lines) trust(m Meaning) float64 {
	return s.judge.Trust(m.Generation, len(m.Of), func() fluency.Texts {
		t := fluency.Texts{Census: &s.census, Cosine: func(a, b int) (float64, bool) {
			va, vb := s.vectorOf(m, a), s.vectorOf(m, b)
			if va == nil || vb == nil {
				return 0, false
			}
			return float64(vector.Dot(va, vb)), true
		}}
		for _, l := range s.all[:min(len(s.all), fluency.Most)] {
			t.Topics = append(t.Topics, l.topics)
		}
		return t
	})
}

// vectorOf returns a vector of a line, nil for none.
func (s *Lines) vectorOf(m Meaning, place int) []float32 {
	for _, c := range s.all[place].claims {
		if of := m.Of[c.claim.ID]; len(of) > 0 {
			return of[0]
		}
	}
	return nil
}
