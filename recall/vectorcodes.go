package recall

import (
	"math/bits"
	"math/rand/v2"
)

// rotation turns vectors so that what tells them apart is spread evenly over
// all numbers: subtract the mean, flip random signs, Hadamard transform. The
// sign of each number is then worth keeping by itself: two vectors differ in
// about as many signs as the angle between them says. Centring and turning
// are what make that hold in dense clusters, where plain signs are all alike.
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

// code appends the signs of the rotated vector to codes; buffer is r.size long.
func (r *rotation) code(codes []uint64, v, buffer []float32) []uint64 {
	for i := range v {
		buffer[i] = (v[i] - r.mean[i]) * r.signs[i]
	}
	clear(buffer[len(v):])
	hadamard(buffer)
	for ; len(buffer) > 0; buffer = buffer[64:] {
		var word uint64
		for i, x := range buffer[:64] {
			if x >= 0 {
				word |= 1 << i
			}
		}
		codes = append(codes, word)
	}
	return codes
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

// nearest appends the positions of the n codes that differ least from query,
// and of those that differ as much as the last of them as far as there is room.
func nearest(codes, query []uint64, n int) []uint32 {
	words := len(query)
	distances := make([]uint16, len(codes)/words)
	histogram := make([]int, 64*words+1)
	for i := range distances {
		d := 0
		for j, word := range codes[i*words : (i+1)*words] {
			d += bits.OnesCount64(word ^ query[j])
		}
		distances[i] = uint16(d)
		histogram[d]++
	}
	within, limit := 0, -1 // limit: the largest distance that fits in whole
	for d, count := range histogram {
		if within+count > n {
			break
		}
		within += count
		limit = d
	}
	room := n - within
	positions := make([]uint32, 0, min(n, len(distances)))
	for i, d := range distances {
		switch {
		case int(d) <= limit:
			positions = append(positions, uint32(i))
		case int(d) == limit+1 && room > 0:
			positions = append(positions, uint32(i))
			room--
		}
	}
	return positions
}
