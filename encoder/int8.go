package encoder

import "math"

// tileBytes is the number of columns that the int8 kernels compute at a time.
const tileBytes = 16

// bytePanels is a matrix of int8 with a scale per column, packed for the kernels:
// tileBytes columns at a time, pairs of rows, the two values of a column side by side.
// Missing rows and columns are 0.
type bytePanels struct {
	depth, cols int
	data        []int8
	scales      []float32 // one per column, rounded up to whole tiles
}

func newBytePanels(depth, cols int) *bytePanels {
	padded := roundUp(cols, tileBytes)
	return &bytePanels{depth: depth, cols: cols, data: make([]int8, padded*roundUp(depth, 2)), scales: make([]float32, padded)}
}

// setColumn stores factor times the values of a column, rounded.
func (p *bytePanels) setColumn(col int, values []float32, factor float32) {
	step, scale := steps(values, math.MaxInt8)
	p.scales[col] = scale * factor
	column := p.data[col/tileBytes*tileBytes*roundUp(p.depth, 2)+col%tileBytes*2:]
	for row, x := range values {
		column[row/2*2*tileBytes+row%2] = int8(round(x, step))
	}
}

// steps returns the factor that maps values to whole numbers of at most reach, and its
// inverse; both are 0 for values close to 0. Infinities and NaNs make the inverse infinite
// or NaN.
func steps(values []float32, reach float32) (factor, inverse float32) {
	most := uint32(0)
	for _, x := range values {
		most = max(most, math.Float32bits(x)&^(1<<31)) // magnitudes compare like their bits
	}
	greatest := math.Float32frombits(most)
	if greatest < 1e-30 {
		return 0, 0
	}
	return reach / greatest, greatest / reach
}

// round returns x·factor, rounded to the nearest integer. Adding 1.5·2²³ leaves it in the
// low bits of the mantissa.
func round(x, factor float32) int16 {
	return int16(math.Float32bits(float32(x*factor) + 3<<22))
}

// reach is the greatest magnitude of a quantised activation. Sums of depth products
// with int8 fit into 32 bits.
func (p *bytePanels) reach() float32 {
	return float32(min(math.MaxInt16, math.MaxInt32/(math.MaxInt8*roundUp(p.depth, 2))))
}

// wordBuffer holds activations quantised to int16, with a scale per row.
type wordBuffer struct {
	values []int16
	scales []float32
}

// multiplyWith stores in·p + bias in out by as many goroutines as workers. Rows, rounded
// up to whole tiles, have depth and cols values.
func (p *bytePanels) multiplyWith(workers int, out, in []float32, rows int, bias []float32, words *wordBuffer) {
	stride := roundUp(p.depth, 2)
	if cap(words.values) < rows*stride {
		words.values = make([]int16, rows*stride)
	}
	values := words.values[:rows*stride]
	words.scales = grown(words.scales, rows)
	reach := p.reach()
	inParallel(workers, rows, func(first, last int) {
		for row := first; row < last; row++ {
			from, to := in[row*p.depth:][:p.depth], values[row*stride:][:stride]
			factor, scale := steps(from, reach)
			words.scales[row] = scale
			to[stride-1] = 0
			for i, x := range from {
				to[i] = round(x, factor)
			}
		}
	})
	inParallel(workers, roundUp(p.cols, tileBytes)/tileBytes, func(first, last int) {
		var edge [tileRows * tileBytes]float32
		for panel := first; panel < last; panel++ {
			weights := p.data[panel*tileBytes*stride:][:tileBytes*stride]
			col := panel * tileBytes
			scales, start := p.scales[col:][:tileBytes], bias[col:][:tileBytes]
			valid := min(p.cols-col, tileBytes)
			for row := 0; row < rows; row += tileRows {
				a, rowScales := values[row*stride:][:tileRows*stride], words.scales[row:][:tileRows]
				if valid == tileBytes {
					byteTile(out[row*p.cols+col:], p.cols, a, stride, weights, scales, start, rowScales)
					continue
				}
				byteTile(edge[:], tileBytes, a, stride, weights, scales, start, rowScales)
				for r := range tileRows {
					copy(out[(row+r)*p.cols+col:][:valid], edge[r*tileBytes:])
				}
			}
		}
	})
}

// byteTilePlain computes out = a·b·scales·rowScales + bias for four rows of a, each of
// depth values, and tileBytes columns of b.
func byteTilePlain(out []float32, strideOut int, a []int16, depth int, b []int8, scales, bias, rowScales []float32) {
	for row := range tileRows {
		var sums [tileBytes]int32
		for i := 0; i < depth; i += 2 {
			x, y := int32(a[row*depth+i]), int32(a[row*depth+i+1])
			pairs := b[i*tileBytes:][:2*tileBytes]
			for col := range sums {
				sums[col] += x*int32(pairs[2*col]) + y*int32(pairs[2*col+1])
			}
		}
		to := out[row*strideOut:][:tileBytes]
		for col, sum := range sums {
			to[col] = float32(float32(float32(sum)*scales[col])*rowScales[row]) + bias[col]
		}
	}
}

// byteRows is a table of int8 with a scale per row.
type byteRows struct {
	tensor
	scales []float32
}

// newByteRows rounds a table of two dimensions.
func newByteRows(t *tensor) *byteRows {
	n, width := t.shape[0], t.shape[1]
	rows := &byteRows{tensor: tensor{kind: "I8", shape: t.shape, data: make([]byte, n*width)}, scales: make([]float32, n)}
	values := make([]float32, width)
	for i := range n {
		t.read(values, i*width)
		factor, scale := steps(values, math.MaxInt8)
		rows.scales[i] = scale
		for j, x := range values {
			rows.data[i*width+j] = byte(round(x, factor))
		}
	}
	return rows
}

func (r *byteRows) read(values []float32, from int) {
	r.tensor.read(values, from)
	scale := r.scales[from/r.shape[1]]
	for i := range values {
		values[i] *= scale
	}
}
