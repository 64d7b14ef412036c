package topics

import (
	"math"
	"slices"
	"sync"
)

// sums adds up the topics and concepts of a text.
type sums struct {
	weights [maxCodes]float32
	codes   []uint16 // with a weight above 0

	space [maxLemma]byte // for a word without its ending
}

var pool = sync.Pool{New: func() any { return new(sums) }}

func (s *sums) add(code uint16, weight float32) {
	at := &s.weights[code&(maxCodes-1)]
	if *at == 0 {
		s.codes = append(s.codes, code&(maxCodes-1))
	}
	*at = both(*at, weight)
}

// both returns the weight of a topic that occurs twice: more than either, less
// than their sum.
func both(a, b float32) float32 { return 1 - (1-a)*(1-b) }

// appendCodes appends the [Set.Codes] of what was added, then removes it.
func (s *sums) appendCodes(codes []byte) []byte {
	if len(s.codes) == 0 {
		return codes
	}
	slices.Sort(s.codes)
	topics, _ := slices.BinarySearch(s.codes, maxTopics)
	codes = append(codes, byte(topics))
	for _, code := range s.codes {
		codes = append(codes, byte(code))
		if code >= maxTopics {
			codes = append(codes, byte(code>>8))
		}
		codes = append(codes, byte(max(1, math.Round(float64(s.weights[code])*weightUnit))))
	}
	s.clear()
	return codes
}

func (s *sums) clear() {
	for _, code := range s.codes {
		s.weights[code] = 0
	}
	s.codes = s.codes[:0]
}
