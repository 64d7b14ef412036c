package recall

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

const (
	// codeBits are kept of each number of a rotated vector: the sign, and where in
	// its range it lies. What is within a few places of the best ten by these is
	// told apart by the numbers on disk.
	codeBits = 5
	// codeReach is beyond how many standard deviations a number counts as this much.
	codeReach = 2.8
	// fineBits are kept of each number of a query.
	fineBits = 7

	codeSteps = 1<<codeBits - 1
	fineSteps = 1<<fineBits - 1
)

// codes are vectors in a sixth of their size: rotated, and of each number a few
// bits. A plane holds one bit of every number; that of the signs, which all
// queries read through, lies apart from the finer ones.
type codes struct {
	*rotation

	signs []uint64
	finer []uint64  // from the second highest bit on, vector by vector
	steps []float32 // half a step of each vector's numbers

	turned []float32
	level  []uint8
}

func newCodes(mean []float32) *codes {
	r := newRotation(mean)
	return &codes{rotation: r, turned: make([]float32, r.size), level: make([]uint8, r.size)}
}

func (c *codes) add(v []float32) {
	c.turn(v, c.turned)
	var squares float64
	for _, x := range c.turned {
		squares += float64(x) * float64(x)
	}
	step := float32(2 * codeReach / (codeSteps + 1) * math.Sqrt(squares/float64(c.size)))
	var along float64 // the code's inner product with what it stands for, in half steps
	for i, x := range c.turned {
		level := (codeSteps + 1) / 2
		if step > 0 {
			level = int(min(codeSteps, max(0, x/step+(codeSteps+1)/2)))
		}
		c.level[i] = uint8(level)
		along += float64(x) * float64(2*level-codeSteps)
	}
	for b := codeBits - 1; b >= 0; b-- {
		for w := 0; w < c.size; w += 64 {
			if word := plane(c.level[w:w+64], b); b == codeBits-1 {
				c.signs = append(c.signs, word)
			} else {
				c.finer = append(c.finer, word)
			}
		}
	}
	half := float32(0)
	if along > 0 {
		half = float32(squares / along) // so that its inner product with itself is right
	}
	c.steps = append(c.steps, half)
}

// plane gathers one bit of each of 64 levels.
func plane(levels []uint8, bit int) (word uint64) {
	const lowest, gather = 0x0101010101010101, 0x0102040810204080 // the product has them in its highest byte
	for i := 0; i < 64; i += 8 {
		eight := binary.LittleEndian.Uint64(levels[i:]) >> bit & lowest
		word |= eight * gather >> 56 << i
	}
	return word
}

// expect makes room for so many vectors.
func (c *codes) expect(n int) {
	c.signs = slices.Grow(c.signs, n*c.words())
	c.finer = slices.Grow(c.finer, n*c.words()*(codeBits-1))
	c.steps = slices.Grow(c.steps, n)
}

// fine is a query to be compared with whole codes.
type fine struct {
	*codes

	planes [][fineBits]uint64 // word by word
	sum    int                // of its levels
	step   float64            // half of one, with the scale of the rotation
	base   float64            // cosine with the mean
}

func (c *codes) fine(query []float32) *fine {
	f := &fine{codes: c, base: float64(dot(query, c.mean))}
	turned := make([]float32, c.size)
	for i, x := range query {
		turned[i] = x * c.rotation.signs[i]
	}
	hadamard(turned)
	var most float32
	for _, x := range turned {
		most = max(most, x, -x)
	}
	f.planes = make([][fineBits]uint64, c.words())
	if most == 0 {
		return f
	}
	f.step = float64(most) / fineSteps / float64(c.size)
	for i, x := range turned {
		level := int((x/most+1)/2*fineSteps + 0.5)
		f.sum += level
		for b := range fineBits {
			f.planes[i/64][b] |= uint64(level>>b&1) << (i % 64)
		}
	}
	return f
}

// cosine of the query with the vector at a place, nearly.
func (f *fine) cosine(at int) float32 {
	words := f.words()
	together, sum := f.weigh(f.codes.signs[at*words:(at+1)*words], codeBits-1)
	finer := f.finer[at*(codeBits-1)*words : (at+1)*(codeBits-1)*words]
	for b := codeBits - 2; b >= 0; b-- {
		t, s := f.weigh(finer[:words], b)
		together, sum = together+t, sum+s
		finer = finer[words:]
	}
	product := 4*together - 2*codeSteps*f.sum - 2*fineSteps*sum + fineSteps*codeSteps*f.size
	return float32(f.base + f.step*float64(f.steps[at])*float64(product))
}

// weigh is the inner product of the query's levels with one plane, and the sum of
// the plane.
func (f *fine) weigh(plane []uint64, bit int) (together, sum int) {
	planes := f.planes[:len(plane)]
	for w, word := range plane {
		q := &planes[w]
		together += bits.OnesCount64(word&q[0]) + bits.OnesCount64(word&q[1])<<1 + bits.OnesCount64(word&q[2])<<2 +
			bits.OnesCount64(word&q[3])<<3 + bits.OnesCount64(word&q[4])<<4 + bits.OnesCount64(word&q[5])<<5 +
			bits.OnesCount64(word&q[6])<<6
		sum += bits.OnesCount64(word)
	}
	return together << bit, sum << bit
}
