package encoder

import (
	"math"
	"sync"
)

// Activation functions are interpolated linearly between points 1/512 apart, with an
// error of at most 4e-7.
const (
	activationReach = 8 // beyond, GELU is the identity or 0
	activationSteps = 512
)

type activationTable [2*activationReach*activationSteps + 2]float32

var (
	geluTable     = newActivationTable(func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) })
	geluTanhTable = newActivationTable(func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	})
)

func newActivationTable(f func(float64) float64) func() *activationTable {
	return sync.OnceValue(func() *activationTable {
		var t activationTable
		for i := range t {
			t[i] = float32(f(float64(i)/activationSteps - activationReach))
		}
		return &t
	})
}

func gelu(values []float32)     { geluTable().apply(values) }
func geluTanh(values []float32) { geluTanhTable().apply(values) }

func relu(values []float32) {
	for i, x := range values {
		values[i] = max(x, 0)
	}
}

func (t *activationTable) apply(values []float32) {
	for i, x := range values {
		at := (x + activationReach) * activationSteps
		switch {
		case at >= 0 && at < 2*activationReach*activationSteps:
			cell := int(at)
			low := t[cell]
			values[i] = low + (t[cell+1]-low)*(at-float32(cell))
		case at < 0:
			values[i] = 0
		}
	}
}

// exp is the exponential function for x ≤ 0. Its relative error is below 3e-7
// near 0 and 8e-6 anywhere; below x = -87 it is 0. Softmax spends most of its
// time here, and math.Exp takes four times as long.
func exp(x float32) float32 {
	if !(x > -87) {
		if x != x {
			return x
		}
		return 0
	}
	z := x * (1 / math.Ln2)
	whole := int32(z - 0.5)
	f := z - float32(whole) // from -0.5 to 0.5
	// 2^f by its Taylor series.
	p := float32(1.540353e-4)
	p = p*f + 1.3333558e-3
	p = p*f + 9.618129e-3
	p = p*f + 5.5504109e-2
	p = p*f + 2.4022651e-1
	p = p*f + 6.9314718e-1
	p = p*f + 1
	return math.Float32frombits(math.Float32bits(p) + uint32(whole)<<23)
}
