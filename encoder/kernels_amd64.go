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

// byteTile is byteTilePlain, 16 columns at a time.
func byteTile(out []float32, strideOut int, a []int16, depth int, b []int8, scales, bias, rowScales []float32) {
	if !wide {
		byteTilePlain(out, strideOut, a, depth, b, scales, bias, rowScales)
		return
	}
	_, _ = out[(tileRows-1)*strideOut+tileBytes-1], a[tileRows*depth-1]
	_, _ = b[depth*tileBytes-1], scales[tileBytes-1]
	_, _ = bias[tileBytes-1], rowScales[tileRows-1]
	byteTileAVX2(&out[0], strideOut*4, &a[0], depth/2, &b[0], &scales[0], &bias[0], &rowScales[0])
}

// byteTileAVX2 takes strideOut in bytes and the depth in pairs.
//
//go:noescape
func byteTileAVX2(out *float32, strideOut int, a *int16, pairs int, b *int8, scales, bias, rowScales *float32)
