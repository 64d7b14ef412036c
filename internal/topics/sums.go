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

// appendCodes appends the codes of what was added, then removes it.
func (s *sums) appendCodes(codes []byte) []byte {
	slices.Sort(s.codes)
	for _, code := range s.codes {
		weight := byte(max(1, math.Round(float64(s.weights[code])*weightUnit)))
		codes = append(codes, byte(code), byte(code>>8), weight)
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
