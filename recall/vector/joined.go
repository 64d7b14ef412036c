package vector

import "math"

// Part is a vector of a set, its cosine with a query, and its share in a sum of vectors.
type Part struct {
	Match
	Share float64
}

// Joined returns how far the cosine of a sum of vectors lies above the usual, in standard
// deviations. Each cosine counts from the mean on, so that a sum of unrelated vectors,
// which is nearer to every query than each of them, gains nothing by that.
func (s *Set) Joined(usual Distribution, parts []Part) float64 {
	sum, squares := 0.0, 0.0
	for i, p := range parts {
		sum += p.Share * (float64(p.Cosine) - usual.Mean)
		squares += p.Share * p.Share
		for _, q := range parts[:i] {
			squares += 2 * p.Share * q.Share * float64(s.cosine(int(p.Place), int(q.Place)))
		}
	}
	const opposed = 0.05 // vectors that cancel each other out
	return sum / math.Sqrt(max(opposed, squares)) / usual.Deviation
}

// cosine returns the cosine of two vectors of the set, an estimate in a large one.
func (s *Set) cosine(a, b int) float32 {
	if s.codes == nil {
		return Dot(s.vector(a), s.vector(b))
	}
	return s.codes.cosine(a, b)
}

// cosine estimates the cosine of two coded vectors.
func (c *codes) cosine(a, b int) float32 {
	var sum int32
	for at := range c.size {
		sum += c.number(a, at) * c.number(b, at)
	}
	first, second := c.scales[a], c.scales[b]
	return c.meanSquare + first.along + second.along + first.step*second.step*float32(sum)/float32(c.size)
}

// number returns a number of a coded vector, in its steps.
func (c *codes) number(place, at int) int32 {
	sign := c.signs[place/blockSize*blockSize*c.size/8+at/8*blockSize+place%blockSize] >> (at % 8) & 1
	low := c.low[place*c.size/2+at/64*32+at%32] >> (at % 64 / 32 * lowBits) & (1<<lowBits - 1)
	return 2*int32(sign<<lowBits|low) - maxLevel
}
