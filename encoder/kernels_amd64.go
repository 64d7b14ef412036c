//go:build !purego

package encoder

import "github.com/ebbmem/ebb/internal/cpu"

// wide reports whether the kernels in assembly can be used.
var wide = cpu.AVX2 && cpu.FMA

// tile is tilePlain, 24 columns at a time.
func tile(out []float32, strideOut int, start []float32, strideStart int, a []float32, strideA int, b []float32, depth int) {
	if !wide {
		tilePlain(out, strideOut, start, strideStart, a, strideA, b, depth)
		return
	}
	_, _ = out[(tileRows-1)*strideOut+tileCols-1], start[(tileRows-1)*strideStart+tileCols-1]
	_, _ = a[(tileRows-1)*strideA+depth-1], b[depth*tileCols-1]
	tileFMA(&out[0], strideOut*4, &start[0], strideStart*4, &a[0], strideA*4, &b[0], depth)
}

// tileFMA takes strides in bytes.
//
//go:noescape
func tileFMA(out *float32, strideOut int, start *float32, strideStart int, a *float32, strideA int, b *float32, depth int)
