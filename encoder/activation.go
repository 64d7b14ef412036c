package encoder

import (
	"math"
	"sync"
)

// An activation's values are interpolated between points 1/512 apart: within
// 4e-7 of the function.
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
