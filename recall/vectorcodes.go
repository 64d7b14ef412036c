package recall

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// rotation turns vectors so that what tells them apart is spread evenly over
// all numbers: subtract the mean, flip random signs, Hadamard transform. The
// sign of each number is then worth keeping by itself. Without centring and
// turning, the signs of a dense cluster are all alike.
type rotation struct {
	mean  []float32
	signs []float32
	size  int // of the code in bits: the next power of two, at least 64
}

func newRotation(mean []float32) *rotation {
	r := &rotation{mean: mean, size: 64}
	for r.size < len(mean) {
		r.size *= 2
	}
	random := rand.New(rand.NewPCG(1, uint64(r.size))) // the same in every process
	r.signs = make([]float32, len(mean))
	for i := range r.signs {
		r.signs[i] = float32(1 - 2*random.IntN(2))
	}
	return r
}

// words is the length of a code.
func (r *rotation) words() int { return r.size / 64 }

// turn centres and rotates v into buffer, which is r.size long.
func (r *rotation) turn(v, buffer []float32) {
	for i := range v {
		buffer[i] = (v[i] - r.mean[i]) * r.signs[i]
	}
	clear(buffer[len(v):])
	hadamard(buffer)
}

// levels is a rotated query in steps of four bits, word by word: bit j of
// levels[w][b] is bit b of the step of number 64w+j. The query need not be as
// coarse as the codes, and that halves their error (Gao and Long 2024, RaBitQ).
type levels [][4]uint64

func (r *rotation) levels(query []float32) levels {
	turned := make([]float32, r.size)
	r.turn(query, turned)
	var squares float64
	for _, x := range turned {
		squares += float64(x) * float64(x)
	}
	reach := 2.5 * math.Sqrt(squares/float64(r.size)) // beyond it a number counts as this much
	out := make(levels, r.words())
	for i, x := range turned {
		step := 0
		if reach > 0 {
			step = int(math.Round(7.5 + 7.5*min(1, max(-1, float64(x)/reach))))
		}
		for b := range 4 {
			out[i/64][b] |= uint64(step>>b&1) << (i % 64)
		}
	}
	return out
}

// unlike is how little a code agrees with the query, from 0 to 30 for each bit:
// 15 Σ ±1 less twice Σ ± the query's steps, counted from the middle one.
func (q levels) unlike(code []uint64) int {
	agree := 0
	for w, word := range code {
		l := &q[w]
		steps := bits.OnesCount64(word&l[0]) + 2*bits.OnesCount64(word&l[1]) + 4*bits.OnesCount64(word&l[2]) + 8*bits.OnesCount64(word&l[3])
		agree += 2*steps - 15*bits.OnesCount64(word)
	}
	return 15*64*len(code) - agree
}

// hadamard is the fast Walsh–Hadamard transform in place, unscaled; the length
// is a power of two.
func hadamard(x []float32) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j := range a {
				a[j], b[j] = a[j]+b[j], a[j]-b[j]
			}
		}
	}
}
