//go:build !purego

package vector

import (
	"slices"

	"github.com/ebbmem/ebb/internal/cpu"
)

// sumSigns is sumSignsGeneric, 32 codes at a time.
func sumSigns(sums []uint16, signs, table []byte) {
	if !cpu.AVX2 || len(sums) == 0 {
		sumSignsGeneric(sums, signs, table)
		return
	}
	blocks := len(sums) / blockSize
	bytes := len(table) / entriesPerByte
	_, _ = signs[blocks*blockSize*bytes-1], table[bytes*entriesPerByte-1] // bounds checks
	sumSignsAVX2(&sums[0], &signs[0], &table[0], bytes, blocks)
}

// dotLowBits is dotLowBitsGeneric, 64 numbers at a time.
func dotLowBits(products []int32, lowBits []byte, places []uint32, numbers []int8) {
	if !cpu.AVX2 || len(places) == 0 {
		dotLowBitsGeneric(products, lowBits, places, numbers)
		return
	}
	half := len(numbers) / 2
	_, _ = products[len(places)-1], lowBits[(int(slices.Max(places))+1)*half-1] // bounds checks
	dotLowBitsAVX2(&products[0], &lowBits[0], &places[0], len(places), &numbers[0], half/32)
}

//go:noescape
func sumSignsAVX2(sums *uint16, signs, table *byte, bytes, blocks int)

//go:noescape
func dotLowBitsAVX2(products *int32, lowBits *byte, places *uint32, n int, numbers *int8, groups int)
