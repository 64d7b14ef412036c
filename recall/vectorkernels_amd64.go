//go:build !purego

package recall

import (
	"slices"

	"github.com/ebbmem/ebb/internal/cpu"
)

// wide reports whether the processor can what the assembly asks of it: Intel's
// since 2013, AMD's since 2015.
var wide = cpu.AVX2

// sumSigns is sumSignsPlain, 32 codes at a time.
func sumSigns(sums []uint16, signs, table []byte) {
	if !wide || len(sums) == 0 {
		sumSignsPlain(sums, signs, table)
		return
	}
	blocks := len(sums) / blockOf
	bytes := len(table) / perByte
	_, _ = signs[blocks*blockOf*bytes-1], table[bytes*perByte-1]
	sumsAVX2(&sums[0], &signs[0], &table[0], bytes, blocks)
}

// weighFiner is weighFinerPlain, 64 numbers at a time.
func weighFiner(products []int32, finer []byte, places []uint32, numbers []int8) {
	if !wide || len(places) == 0 {
		weighFinerPlain(products, finer, places, numbers)
		return
	}
	half := len(numbers) / 2
	_, _ = products[len(places)-1], finer[(int(slices.Max(places))+1)*half-1]
	finelyAVX2(&products[0], &finer[0], &places[0], len(places), &numbers[0], half/32)
}

//go:noescape
func sumsAVX2(sums *uint16, signs, table *byte, bytes, blocks int)

//go:noescape
func finelyAVX2(products *int32, finer *byte, places *uint32, n int, numbers *int8, groups int)
