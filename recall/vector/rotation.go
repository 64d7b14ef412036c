package vector

import (
	"math/rand/v2"
)

// rotation spreads what distinguishes vectors evenly over their numbers: it
// subtracts the mean, flips signs at random and applies a Hadamard transform.
// Without it the signs of a dense cluster's vectors are nearly all the same.
type rotation struct {
	mean  []float32
	flips []float32
	size  int // of a rotated vector: the next power of two, at least 64
}

func newRotation(mean []float32) *rotation {
	r := &rotation{mean: mean, size: 64}
	for r.size < len(mean) {
		r.size *= 2
	}
	random := rand.New(rand.NewPCG(1, uint64(r.size))) // the same in every process
	r.flips = make([]float32, len(mean))
	for i := range r.flips {
		r.flips[i] = float32(1 - 2*random.IntN(2))
	}
	return r
}

// rotate centres and rotates v into out, which has r.size numbers.
func (r *rotation) rotate(v, out []float32) {
	for i := range v {
		out[i] = (v[i] - r.mean[i]) * r.flips[i]
	}
	clear(out[len(v):])
	hadamard(out)
}

// hadamard is the fast Walsh–Hadamard transform in place, unscaled. The length
// is a power of two, at least 8. The first three passes are unrolled over eight
// numbers.
func hadamard(x []float32) {
	for i := 0; i < len(x); i += 8 {
		e := (*[8]float32)(x[i:])
		a0, a1, a2, a3, a4, a5, a6, a7 := e[0]+e[1], e[0]-e[1], e[2]+e[3], e[2]-e[3], e[4]+e[5], e[4]-e[5], e[6]+e[7], e[6]-e[7]
		b0, b1, b2, b3, b4, b5, b6, b7 := a0+a2, a1+a3, a0-a2, a1-a3, a4+a6, a5+a7, a4-a6, a5-a7
		e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7] = b0+b4, b1+b5, b2+b6, b3+b7, b0-b4, b1-b5, b2-b6, b3-b7
	}
	for h := 8; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			b = b[:len(a)]
			for j, p := range a {
				q := b[j]
				a[j], b[j] = p+q, p-q
			}
		}
	}
}
