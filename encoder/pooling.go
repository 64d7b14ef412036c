package encoder

import "math"

// pooling makes one vector of the tokens' states.
type pooling int

const (
	poolMean pooling = iota
	poolFirst
	poolMax
	poolMeanSqrt // the sum divided by the root of the number of tokens
)

func (p pooling) pool(states []float32, width int) []float32 {
	vector := make([]float32, width)
	n := len(states) / width
	if n == 0 {
		return vector
	}
	copy(vector, states[:width])
	if p == poolFirst {
		return vector
	}
	for i := 1; i < n; i++ {
		for j, x := range states[i*width:][:width] {
			if p == poolMax {
				vector[j] = max(vector[j], x)
			} else {
				vector[j] += x
			}
		}
	}
	factor := float32(1)
	switch p {
	case poolMean:
		factor = 1 / float32(n)
	case poolMeanSqrt:
		factor = float32(1 / math.Sqrt(float64(n)))
	}
	for j := range vector {
		vector[j] *= factor
	}
	return vector
}

// unit scales a vector to length 1. A vector of length 0 is unchanged.
func unit(vector []float32) {
	squares := 0.
	for _, x := range vector {
		squares += float64(x) * float64(x)
	}
	if squares == 0 {
		return
	}
	factor := float32(1 / math.Sqrt(squares))
	for i := range vector {
		vector[i] *= factor
	}
}
