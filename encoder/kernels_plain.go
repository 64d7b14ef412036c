//go:build !amd64 || purego

package encoder

func tile(out []float32, strideOut int, start []float32, strideStart int, a []float32, strideA int, b []float32, depth int) {
	tilePlain(out, strideOut, start, strideStart, a, strideA, b, depth)
}

func byteTile(out []float32, strideOut int, a []int16, depth int, b []int8, scales, bias, rowScales []float32) {
	byteTilePlain(out, strideOut, a, depth, b, scales, bias, rowScales)
}
