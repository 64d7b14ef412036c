package vector

import (
	"encoding/binary"
	"math"
)

const (
	// codeBits is how many bits a code keeps of each rotated number: the sign, and
	// the position in its range.
	codeBits = 5
	// codeRange is the range that a code covers, in standard deviations either
	// side of 0. Numbers beyond it are clamped.
	codeRange = 2.8

	maxLevel = 1<<codeBits - 1
	lowBits  = codeBits - 1
)

// codes are vectors in a sixth of their size: rotated, and quantised to
// codeBits a number. The signs are stored apart from the low bits, because the
// first pass of a query reads only them.
type codes struct {
	*rotation

	signs  []byte // of 32 codes: byte 0 of all 32, then byte 1, and so on; then of the next 32
	low    []byte // code by code; of each 64 numbers, number i in the lower half of byte i, number 32+i in the upper
	scales []scale

	meanSquare float32 // the mean's inner product with itself

	// Scratch space of add.
	rotated []float32
	levels  []uint8
}

// scale holds what is needed to estimate a cosine besides the bits.
type scale struct {
	step  float32 // half the distance between two levels
	along float32 // the vector's inner product with the mean, less meanSquare
}

func newCodes(mean []float32) *codes {
	r := newRotation(mean)
	return &codes{rotation: r, meanSquare: Dot(mean, mean), rotated: make([]float32, r.size), levels: make([]uint8, r.size)}
}

func (c *codes) len() int { return len(c.scales) }

func (c *codes) add(v []float32) {
	c.rotate(v, c.rotated)
	squares := Dot(c.rotated, c.rotated)
	const middle = (maxLevel + 1) / 2
	perLevel := float32(0) // stays 0 for a vector equal to the mean
	if squares > 0 {
		perLevel = middle / codeRange / float32(math.Sqrt(float64(squares)/float64(c.size)))
	}
	for i, x := range c.rotated {
		c.levels[i] = uint8(min(maxLevel, max(0, int(x*perLevel+middle))))
	}
	c.store(c.levels)
	step := float32(0)
	if product := c.product(); product > 0 {
		step = squares / product // makes the code's estimate of the vector's product with itself exact
	}
	c.scales = append(c.scales, scale{step, Dot(v, c.mean) - c.meanSquare})
}

// product is the inner product of the vector being added with its code, in
// half steps.
func (c *codes) product() float32 {
	var even, odd float32
	for i := 0; i < len(c.rotated); i += 2 {
		even += c.rotated[i] * float32(2*int32(c.levels[i])-maxLevel)
		odd += c.rotated[i+1] * float32(2*int32(c.levels[i+1])-maxLevel)
	}
	return even + odd
}

// store appends the bits of one vector's levels in the layout of the kernels.
func (c *codes) store(levels []uint8) {
	bytes, lane := c.size/8, c.len()%blockSize
	if lane == 0 {
		c.signs = append(c.signs, make([]byte, bytes*blockSize)...)
	}
	block := c.signs[c.len()/blockSize*bytes*blockSize:]
	const (
		lowest = 0x0101010101010101 // bit 0 of each of eight bytes
		lower  = lowest * (1<<lowBits - 1)
		gather = 0x0102040810204080 // as a factor, moves the lowest bits of eight bytes into the highest byte
	)
	for at := range bytes {
		signs := binary.LittleEndian.Uint64(levels[8*at:]) >> lowBits & lowest
		block[at*blockSize+lane] = byte(signs * gather >> 56)
	}
	for ; len(levels) > 0; levels = levels[64:] {
		for i := 0; i < 32; i += 8 {
			first, second := binary.LittleEndian.Uint64(levels[i:])&lower, binary.LittleEndian.Uint64(levels[32+i:])&lower
			c.low = binary.LittleEndian.AppendUint64(c.low, first|second<<lowBits)
		}
	}
}

// reserve allocates room for n vectors; c must be empty.
func (c *codes) reserve(n int) {
	blocks := (n + blockSize - 1) / blockSize
	c.signs = make([]byte, 0, blocks*blockSize*c.size/8)
	c.low = make([]byte, 0, n*c.size/2)
	c.scales = make([]scale, 0, n)
}
