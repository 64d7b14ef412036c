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
			squares += 2 * p.Share * q.Share * float64(s.Cosine(int(p.Place), int(q.Place)))
		}
	}
	const opposed = 0.05 // vectors that cancel each other out
	return sum / math.Sqrt(max(opposed, squares)) / usual.Deviation
}

// Cosine returns the cosine of two vectors of the set, an estimate in a large one.
func (s *Set) Cosine(a, b int) float32 {
	if s.codes == nil {
		return Dot(s.vector(a), s.vector(b))
	}
	return s.codes.cosine(a, b)
}

// cosine estimates the cosine of two coded vectors.
func (c *codes) cosine(a, b int) float32 {
	numbers := make([]int8, 2*c.size)
	first, second := numbers[:c.size], numbers[c.size:]
	c.decode(a, first)
	c.decode(b, second)
	sum := int32(0)
	for i, n := range first {
		sum += int32(n) * int32(second[i])
	}
	of, with := c.scales[a], c.scales[b]
	return c.meanSquare + of.along + with.along + of.step*with.step*float32(sum)/float32(c.size)
}

// decode writes the numbers of a coded vector, in its steps; see [codes.store].
func (c *codes) decode(place int, numbers []int8) {
	half := c.size / 2
	for at, b := range c.low[place*half:][:half] {
		i := at/32*64 + at%32
		numbers[i], numbers[i+32] = int8(b&(1<<lowBits-1)), int8(b>>lowBits)
	}
	signs := c.signs[place/blockSize*blockSize*c.size/8+place%blockSize:]
	for i := range numbers {
		sign := signs[i/8*blockSize] >> (i % 8) & 1
		numbers[i] = 2*(int8(sign)<<lowBits|numbers[i]) - maxLevel
	}
}
