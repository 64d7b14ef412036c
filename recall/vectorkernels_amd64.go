//go:build !purego

package recall

import "golang.org/x/sys/cpu"

// wide reports whether the processor can what the assembly asks of it: Intel's
// since 2013, AMD's since 2015.
var wide = cpu.X86.HasAVX2

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
func weighFiner(code []byte, numbers []int8) int32 {
	if !wide {
		return weighFinerPlain(code, numbers)
	}
	_ = numbers[2*len(code)-1]
	return finelyAVX2(&code[0], &numbers[0], len(code)/32)
}

//go:noescape
func sumsAVX2(sums *uint16, signs, table *byte, bytes, blocks int)

//go:noescape
func finelyAVX2(code *byte, numbers *int8, groups int) int32
