package recall

import (
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"sync"
)

const (
	// codeBits are kept of each number of a rotated vector: the sign, and where in
	// its range it lies. What is within a few places of the best ten by these is
	// told apart by the numbers on disk.
	codeBits = 5
	// codeReach is beyond how many standard deviations a number counts as this much.
	codeReach = 2.8

	codeSteps = 1<<codeBits - 1
	finerBits = codeBits - 1
)

// codes are vectors in a sixth of their size: rotated, and of each number a few
// bits. The signs, which all queries read through, lie apart from the finer bits.
type codes struct {
	*rotation

	signs  []byte // of 32 codes, byte by byte of all 32; then of the next
	finer  []byte // code by code: of each 64 numbers, number i in the lower half of byte i, number 32+i in the upper
	scales []scale

	square float32 // the mean's inner product with itself
	turned []float32
	level  []uint8
}

// scale is what a code's bits do not tell.
type scale struct {
	step  float32 // half a step of the vector's numbers
	along float32 // its inner product with the mean, less the mean's own
}

func newCodes(mean []float32) *codes {
	r := newRotation(mean)
	return &codes{rotation: r, square: dot(mean, mean), turned: make([]float32, r.size), level: make([]uint8, r.size)}
}

func (c *codes) len() int { return len(c.scales) }

func (c *codes) add(v []float32) {
	c.turn(v, c.turned)
	squares := dot(c.turned, c.turned)
	const middle = (codeSteps + 1) / 2
	perStep := float32(0) // a vector that is the mean stays in the middle
	if squares > 0 {
		perStep = middle / codeReach / float32(math.Sqrt(float64(squares)/float64(c.size)))
	}
	for i, x := range c.turned {
		c.level[i] = uint8(min(codeSteps, max(0, int(x*perStep+middle))))
	}
	c.keep(c.level)
	half := float32(0)
	if product := c.product(); product > 0 {
		half = squares / product // so that its inner product with itself is right
	}
	c.scales = append(c.scales, scale{half, dot(v, c.mean) - c.square})
}

// product is the inner product of the last vector with its code, in half steps.
func (c *codes) product() float32 {
	var even, odd float32
	for i := 0; i < len(c.turned); i += 2 {
		even += c.turned[i] * float32(2*int32(c.level[i])-codeSteps)
		odd += c.turned[i+1] * float32(2*int32(c.level[i+1])-codeSteps)
	}
	return even + odd
}

// keep puts the bits of a vector's levels where they belong.
func (c *codes) keep(levels []uint8) {
	bytes, lane := c.size/8, c.len()%blockOf
	if lane == 0 {
		c.signs = append(c.signs, make([]byte, bytes*blockOf)...)
	}
	block := c.signs[c.len()/blockOf*bytes*blockOf:]
	const (
		each   = 0x0101010101010101 // of eight levels, one a byte
		lower  = each * (1<<finerBits - 1)
		gather = 0x0102040810204080 // puts the lowest bits of eight bytes into the highest byte
	)
	for at := range bytes {
		signs := binary.LittleEndian.Uint64(levels[8*at:]) >> finerBits & each
		block[at*blockOf+lane] = byte(signs * gather >> 56)
	}
	for ; len(levels) > 0; levels = levels[64:] {
		for i := 0; i < 32; i += 8 {
			low, high := binary.LittleEndian.Uint64(levels[i:])&lower, binary.LittleEndian.Uint64(levels[32+i:])&lower
			c.finer = binary.LittleEndian.AppendUint64(c.finer, low|high<<finerBits)
		}
	}
}

// expect makes room for so many vectors.
func (c *codes) expect(n int) {
	blocks := (n + blockOf - 1) / blockOf
	c.signs = withRoom(c.signs, blocks*blockOf*c.size/8)
	c.finer = withRoom(c.finer, n*c.size/2)
	c.scales = withRoom(c.scales, n)
}

// probe is a query beside codes.
type probe struct {
	*codes

	sums    []uint16 // by code: of what its signs select from the table
	numbers []int8   // of the turned query
	base    float64  // cosine with the mean
	// A code's cosine less base and along, in its steps: constant + bySum·sum + byProduct·product.
	constant, bySum, byProduct float64
}

// probe compares the query with the signs of all codes.
func (c *codes) probe(query []float32) *probe {
	p := &probe{codes: c, base: float64(dot(query, c.mean)), numbers: make([]int8, c.size)}
	turned := make([]float32, c.size)
	c.turn(query, turned)
	var most, total float32
	for _, x := range turned {
		most, total = max(most, x, -x), total+x
	}
	table, unit, least := tableOf(turned)
	p.sumAll(table)
	if most == 0 {
		return p
	}
	for i, x := range turned {
		p.numbers[i] = int8(math.Round(float64(x / most * math.MaxInt8)))
	}
	// Numbers of a vector are its steps times 2·level − codeSteps, and of the level
	// the sign is the highest bit. The rotation has made both longer.
	size := float64(c.size)
	p.constant = (2<<finerBits*least - codeSteps*float64(total)) / size
	p.bySum = 2 << finerBits * unit / size
	p.byProduct = 2 * float64(most) / math.MaxInt8 / size
	return p
}

// tableOf is what each sixteen patterns of four signs add to the inner product
// with the query, in units, above the least.
func tableOf(turned []float32) (table []byte, unit, least float64) {
	var sums [16]float64
	patterns := func(four []float32) {
		for i, x := range four {
			for p := range 1 << i {
				sums[1<<i+p] = sums[p] + float64(x)
			}
		}
	}
	widest := 0.0
	for four := range slices.Chunk(turned, 4) {
		patterns(four)
		widest = max(widest, slices.Max(sums[:])-slices.Min(sums[:]))
	}
	unit = widest / float64(min(math.MaxUint8, mostSum/(len(turned)/4)))
	table = make([]byte, 0, 4*len(turned))
	for four := range slices.Chunk(turned, 4) {
		patterns(four)
		low := slices.Min(sums[:])
		least += low
		for _, s := range sums {
			entry := byte(0)
			if unit > 0 {
				entry = byte(math.Round((s - low) / unit))
			}
			table = append(table, entry)
		}
	}
	return table, unit, least
}

// sumsOf are the sums of a query that is done, for the next one.
var sumsOf sync.Pool

// sumAll compares the table with the signs of all codes, on all cores where
// there are many.
func (p *probe) sumAll(table []byte) {
	const share = 1 << 17 / blockOf // blocks a goroutine is worth starting for
	blocks := (p.len() + blockOf - 1) / blockOf
	if kept, ok := sumsOf.Get().(*[]uint16); ok {
		p.sums = (*kept)[:0]
	}
	p.sums = slices.Grow(p.sums[:0], blocks*blockOf)[:blocks*blockOf]
	size := blockOf * p.size / 8
	workers := max(1, min(runtime.GOMAXPROCS(0), blocks/share))
	each := (blocks + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < blocks; from += each {
		to := min(from+each, blocks)
		look := func() { sumSigns(p.sums[from*blockOf:to*blockOf], p.signs[from*size:to*size], table) }
		if to < blocks {
			wg.Go(look)
		} else {
			look()
		}
	}
	wg.Wait()
	p.sums = p.sums[:p.len()]
}

// release gives the next query what this one is done with.
func (p *probe) release() {
	sums := p.sums
	p.sums = nil
	sumsOf.Put(&sums)
}

// cosine of the query with the vector at a place, nearly.
func (p *probe) cosine(at int) float32 {
	place, product := [1]uint32{uint32(at)}, [1]int32{}
	weighFiner(product[:], p.finer, place[:], p.numbers)
	return p.weighed(place[0], product[0])
}

// cosines are those of many places.
func (p *probe) cosines(places []uint32) []near {
	products, found := make([]int32, len(places)), make([]near, len(places))
	weighFiner(products, p.finer, places, p.numbers)
	for i, at := range places {
		found[i] = near{at, p.weighed(at, products[i])}
	}
	return found
}

func (p *probe) weighed(at uint32, product int32) float32 {
	s := &p.scales[at]
	steps := p.constant + p.bySum*float64(p.sums[at]) + p.byProduct*float64(product)
	return float32(p.base + float64(s.along) + float64(s.step)*steps)
}
