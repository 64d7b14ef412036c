package encoder

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The kernels compute tiles of tileRows × tileCols. Buffers have whole tiles of
// rows, so that no kernel needs a remainder.
const (
	tileRows = 4
	tileCols = 24
	// depthBlock bounds the inner dimension of one pass, so that a panel's
	// part (24 KiB) stays in the first-level cache.
	depthBlock = 256
)

// roundUp returns the least multiple of step that is at least n.
func roundUp(n, step int) int { return (n + step - 1) / step * step }

// panels is a matrix of depth × cols packed for the kernels: tileCols columns
// at a time, depth rows of tileCols values each. Missing columns are 0.
type panels struct {
	depth, cols int
	data        []float32
}

func newPanels(depth, cols int, buffer []float32) panels {
	n := roundUp(cols, tileCols) * depth
	if cap(buffer) < n {
		buffer = make([]float32, n)
	}
	return panels{depth: depth, cols: cols, data: buffer[:n]}
}

// set stores the value at (row, col).
func (p *panels) set(row, col int, value float32) {
	p.data[(col/tileCols*p.depth+row)*tileCols+col%tileCols] = value
}

// setColumn stores factor times the values of a column.
func (p *panels) setColumn(col int, values []float32, factor float32) {
	column := p.data[col/tileCols*p.depth*tileCols+col%tileCols:]
	for row, x := range values {
		column[row*tileCols] = factor * x
	}
}

func (p *panels) count() int { return roundUp(p.cols, tileCols) / tileCols }

// multiply stores a·p + bias in out. Both a and out have rows rows, rounded up
// to whole tiles, of strideA and strideOut values. bias has as many values as p
// has columns, rounded up to whole tiles.
func (p *panels) multiply(out []float32, strideOut int, a []float32, strideA, rows int, bias []float32) {
	p.multiplyRange(out, strideOut, a, strideA, rows, bias, 0, p.count())
}

// multiplyRange is multiply for the panels from first to last, without last.
func (p *panels) multiplyRange(out []float32, strideOut int, a []float32, strideA, rows int, bias []float32, first, last int) {
	rows = roundUp(rows, tileRows)
	if rows == 0 {
		return
	}
	// The kernels do not check bounds. Other goroutines write to out at the same
	// time, so this check reads no value of it.
	_, _ = a[:(rows-1)*strideA+p.depth], out[:(rows-1)*strideOut+p.cols]
	passes := (p.depth + depthBlock - 1) / depthBlock
	step := (p.depth + passes - 1) / passes
	var edge [tileRows * tileCols]float32
	for panel := first; panel < last; panel++ {
		weights := p.data[panel*p.depth*tileCols:][:p.depth*tileCols]
		start := bias[panel*tileCols:][:tileCols]
		col := panel * tileCols
		valid := min(p.cols-col, tileCols)
		for from := 0; from < p.depth; from += step {
			depth := min(step, p.depth-from)
			part := weights[from*tileCols:][:depth*tileCols]
			for row := 0; row < rows; row += tileRows {
				in := a[row*strideA+from:]
				if valid == tileCols {
					to := out[row*strideOut+col:]
					if from == 0 {
						tile(to, strideOut, start, 0, in, strideA, part, depth)
					} else {
						tile(to, strideOut, to, strideOut, in, strideA, part, depth)
					}
					continue
				}
				// The last panel has columns beyond those of out.
				for r := range tileRows {
					if from == 0 {
						copy(edge[r*tileCols:][:tileCols], start)
					} else {
						copy(edge[r*tileCols:][:valid], out[(row+r)*strideOut+col:])
					}
				}
				tile(edge[:], tileCols, edge[:], tileCols, in, strideA, part, depth)
				for r := range tileRows {
					copy(out[(row+r)*strideOut+col:][:valid], edge[r*tileCols:])
				}
			}
		}
	}
}

// multiplyWith is multiply by as many goroutines as workers.
func (p *panels) multiplyWith(workers int, out []float32, strideOut int, a []float32, strideA, rows int, bias []float32) {
	inParallel(workers, p.count(), func(first, last int) {
		p.multiplyRange(out, strideOut, a, strideA, rows, bias, first, last)
	})
}

// inParallel cuts the numbers up to n into one range per worker, and calls f with
// each.
func inParallel(workers, n int, f func(first, last int)) {
	workers = min(workers, n)
	if workers <= 1 {
		f(0, n)
		return
	}
	var wait sync.WaitGroup
	for w := 1; w < workers; w++ {
		wait.Go(func() { f(n*w/workers, n*(w+1)/workers) })
	}
	f(0, n/workers)
	wait.Wait()
}

// eachOf calls f with each number up to n, several at a time. It stops after a
// call fails.
func eachOf(n int, f func(i int) error) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	var next atomic.Int64
	errs := make([]error, workers)
	inParallel(workers, workers, func(first, last int) {
		for w := first; w < last; w++ {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if errs[w] = f(int(i)); errs[w] != nil {
					next.Store(int64(n))
					return
				}
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// tilePlain computes out = start + a·b for a tile: four rows of a, tileCols
// columns of b. Strides are in values; a start stride of 0 takes one row for
// all.
func tilePlain(out []float32, strideOut int, start []float32, strideStart int, a []float32, strideA int, b []float32, depth int) {
	a0, a1 := a[:depth], a[strideA:][:depth]
	a2, a3 := a[2*strideA:][:depth], a[3*strideA:][:depth]
	for col := 0; col < tileCols; col += 2 {
		at := func(row int) (float32, float32) {
			s := start[row*strideStart+col:]
			return s[0], s[1]
		}
		s00, s01 := at(0)
		s10, s11 := at(1)
		s20, s21 := at(2)
		s30, s31 := at(3)
		for i, j := 0, col; i < len(a0) && j+1 < len(b); i, j = i+1, j+tileCols {
			b0, b1 := b[j], b[j+1]
			x0, x1, x2, x3 := a0[i], a1[i], a2[i], a3[i]
			s00 += x0 * b0
			s01 += x0 * b1
			s10 += x1 * b0
			s11 += x1 * b1
			s20 += x2 * b0
			s21 += x2 * b1
			s30 += x3 * b0
			s31 += x3 * b1
		}
		for row, s := range [tileRows][2]float32{{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}} {
			out[row*strideOut+col], out[row*strideOut+col+1] = s[0], s[1]
		}
	}
}
