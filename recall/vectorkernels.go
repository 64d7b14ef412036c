package recall

// What comparing codes costs is in these two loops. Each is here as it is meant;
// beside it, vectorkernels_amd64.s has the same in AVX2.

const (
	blockOf = 32 // codes whose signs lie side by side
	perByte = 32 // entries of a table for each byte of signs: 16 for its lower half, 16 for its upper
)

// sumSignsPlain adds up, for every code of some whole blocks, the entries of the
// table that its signs select, four signs an entry (André et al. 2015, "Cache
// locality is not enough": PQ Fast Scan).
func sumSignsPlain(sums []uint16, signs, table []byte) {
	whole := make([][256]uint16, len(table)/perByte) // by byte, what both its halves select
	for at := range whole {
		halves := table[at*perByte:][:perByte]
		for b := range whole[at] {
			whole[at][b] = uint16(halves[b&15]) + uint16(halves[16+b>>4])
		}
	}
	for ; len(sums) > 0; sums = sums[blockOf:] {
		out := (*[blockOf]uint16)(sums)
		*out = [blockOf]uint16{}
		for at := range whole {
			row, entries := (*[blockOf]byte)(signs), &whole[at]
			for i, b := range row {
				out[i] += entries[b]
			}
			signs = signs[blockOf:]
		}
	}
}

// weighFinerPlain is the inner product of numbers with the finer bits of each
// code named by its place.
func weighFinerPlain(products []int32, finer []byte, places []uint32, numbers []int8) {
	half := len(numbers) / 2
	for i, at := range places {
		code, rest := finer[int(at)*half:][:half], numbers
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
