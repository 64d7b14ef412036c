package relevance

import "math"

// A Pairing rates whether a later line says what holds in place of an earlier one.
type Pairing struct {
	Bias    float64
	Weights [PairFeatures]float64
}

// PairFeatures is the number of features of two lines: their words in common and these with
// other inflections, their topics in common, how like they are beside the likest and in which
// rank, the days between them, how likely each stays true, how far they serve the same
// questions, their lengths, and whether the later one has a word of change.
const PairFeatures = 12

// Changes is a logistic regression fitted to the changes of 22 lives by benchmarks/fit.
var Changes = Pairing{-14.916, [PairFeatures]float64{0.423, -0.813, 0.771, 2.585, -0.541, 1.072, 1.060, 0.859, 3.228, 1.992, -0.286, 0.681}}

// P returns the probability, 0–1.
func (m *Pairing) P(x *[PairFeatures]float32) float64 {
	z := m.Bias
	for i, w := range m.Weights {
		z += w * float64(x[i])
	}
	return 1 / (1 + math.Exp(-z))
}

// Cosine returns the cosine of two vectors, 0 if one has no length.
func (v *Vector) Cosine(other *Vector) float64 {
	lengths := float64(v.Dot(v)) * float64(other.Dot(other))
	if lengths == 0 {
		return 0
	}
	return float64(v.Dot(other)) / math.Sqrt(lengths)
}
