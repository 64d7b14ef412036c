package vector

// Nearly all the time of a search in codes is spent in these two loops. Here is
// the portable form; kernels_amd64.s has the same in AVX2.

const (
	blockSize      = 32 // codes whose signs are stored side by side
	entriesPerByte = 32 // table entries for each byte of signs: 16 for its lower half, 16 for its upper
)

// sumSignsGeneric adds up, for each code of some whole blocks, the table
// entries that its signs select, four signs an entry (André et al. 2015, "Cache
// locality is not enough": PQ Fast Scan).
func sumSignsGeneric(sums []uint16, signs, table []byte) {
	whole := make([][256]uint16, len(table)/entriesPerByte) // by byte, what both its halves select
	for at := range whole {
		halves := table[at*entriesPerByte:][:entriesPerByte]
		for b := range whole[at] {
			whole[at][b] = uint16(halves[b&15]) + uint16(halves[16+b>>4])
		}
	}
	for ; len(sums) > 0; sums = sums[blockSize:] {
		out := (*[blockSize]uint16)(sums)
		*out = [blockSize]uint16{}
		for at := range whole {
			row, entries := (*[blockSize]byte)(signs), &whole[at]
			for i, b := range row {
				out[i] += entries[b]
			}
			signs = signs[blockSize:]
		}
	}
}

// dotLowBitsGeneric stores the inner product of numbers with the low bits of
// the code at each place.
func dotLowBitsGeneric(products []int32, lowBits []byte, places []uint32, numbers []int8) {
	half := len(numbers) / 2
	for i, at := range places {
		code, rest := lowBits[int(at)*half:][:half], numbers
		sum := int32(0)
		for len(code) > 0 {
			lower, upper := rest[:32], rest[32:64]
			for j, b := range code[:32] {
				sum += int32(b&15)*int32(lower[j]) + int32(b>>4)*int32(upper[j])
			}
			code, rest = code[32:], rest[64:]
		}
		products[i] = sum
	}
}
