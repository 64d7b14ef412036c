package vector

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// estimate holds what one query needs to estimate its cosines with codes.
type estimate struct {
	*codes

	sums    []uint16 // by place: the sum of the table entries that the code's signs select
	numbers []int8   // the rotated query, scaled to bytes
	base    float64  // cosine with the mean
	// cosine = base + along + step · (constant + bySum·sum + byProduct·product)
	constant, bySum, byProduct float64
}

// estimate runs the first pass of a query over the signs of all codes.
func (c *codes) estimate(query []float32) *estimate {
	e := &estimate{codes: c, base: float64(Dot(query, c.mean)), numbers: make([]int8, c.size)}
	rotated := make([]float32, c.size)
	c.rotate(query, rotated)
	var largest, total float32
	for _, x := range rotated {
		largest, total = max(largest, x, -x), total+x
	}
	table, unit, least := signTable(rotated)
	e.sumAll(table)
	if largest == 0 {
		return e
	}
	for i, x := range rotated {
		e.numbers[i] = int8(math.Round(float64(x / largest * math.MaxInt8)))
	}
	// A coded number is step · (2·level − maxLevel), and the sign is the highest
	// bit of the level. The unscaled rotation has multiplied products by size.
	size := float64(c.size)
	e.constant = (2<<lowBits*least - maxLevel*float64(total)) / size
	e.bySum = 2 << lowBits * unit / size
	e.byProduct = 2 * float64(largest) / math.MaxInt8 / size
	return e
}

// signTable returns what each of the 16 patterns of four signs adds to the
// inner product with the query, in units above the least.
func signTable(rotated []float32) (table []byte, unit, least float64) {
	var sums [16]float64
	patterns := func(four []float32) {
		for i, x := range four {
			for p := range 1 << i {
				sums[1<<i+p] = sums[p] + float64(x)
			}
		}
	}
	widest := 0.0
	for four := range slices.Chunk(rotated, 4) {
		patterns(four)
		widest = max(widest, slices.Max(sums[:])-slices.Min(sums[:]))
	}
	unit = widest / float64(min(math.MaxUint8, maxSum/(len(rotated)/4)))
	table = make([]byte, 0, 4*len(rotated))
	for four := range slices.Chunk(rotated, 4) {
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

// sumsPool holds the sums of finished queries for the next ones.
var sumsPool sync.Pool

// sumAll looks the signs of all codes up in the table, on all processors when
// there are many codes.
func (e *estimate) sumAll(table []byte) {
	const share = 1 << 17 / blockSize // blocks that are worth a goroutine
	blocks := (e.len() + blockSize - 1) / blockSize
	if pooled, ok := sumsPool.Get().(*[]uint16); ok {
		e.sums = (*pooled)[:0]
	}
	e.sums = slices.Grow(e.sums[:0], blocks*blockSize)[:blocks*blockSize]
	size := blockSize * e.size / 8
	workers := max(1, min(runtime.GOMAXPROCS(0), blocks/share))
	each := (blocks + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < blocks; from += each {
		to := min(from+each, blocks)
		sum := func() { sumSigns(e.sums[from*blockSize:to*blockSize], e.signs[from*size:to*size], table) }
		if to < blocks {
			wg.Go(sum)
		} else {
			sum()
		}
	}
	wg.Wait()
	e.sums = e.sums[:e.len()]
}

// release returns the sums to the pool; e must not be used after it.
func (e *estimate) release() {
	sums := e.sums
	e.sums = nil
	sumsPool.Put(&sums)
}

// cosine estimates the cosine with the vector at a place.
func (e *estimate) cosine(place int) float32 {
	at, product := [1]uint32{uint32(place)}, [1]int32{}
	dotLowBits(product[:], e.low, at[:], e.numbers)
	return e.combine(at[0], product[0])
}

// cosines estimates the cosines with the vectors at these places.
func (e *estimate) cosines(places []uint32) []Match {
	products, found := make([]int32, len(places)), make([]Match, len(places))
	dotLowBits(products, e.low, places, e.numbers)
	for i, at := range places {
		found[i] = Match{at, e.combine(at, products[i])}
	}
	return found
}

// combine computes a cosine from the sum of the signs and the product of the
// low bits.
func (e *estimate) combine(place uint32, product int32) float32 {
	s := &e.scales[place]
	steps := e.constant + e.bySum*float64(e.sums[place]) + e.byProduct*float64(product)
	return float32(e.base + float64(s.along) + float64(s.step)*steps)
}
