package recall

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What the processor does many at a time is what the plain loops say, and these
// what adding up number by number says.
func TestSumsOfSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes, blocks := 8<<rapid.IntRange(0, 4).Draw(t, "size"), rapid.IntRange(0, 3).Draw(t, "blocks")
		random := rapid.Custom(func(t *rapid.T) byte { return byte(rapid.Uint64().Draw(t, "bits")) })
		few := rapid.SliceOfN(random, 7, 97).Draw(t, "pattern") // repeated: drawing all would take long
		fill := func(b []byte, from int) []byte {
			for i := range b {
				b[i] = few[(from+i*i)%len(few)]
			}
			return b
		}
		signs, table := fill(make([]byte, blocks*blockOf*bytes), 1), fill(make([]byte, bytes*perByte), 2)
		want := make([]uint16, blocks*blockOf)
		for code := range want {
			for at := range bytes {
				b := signs[(code/blockOf*bytes+at)*blockOf+code%blockOf]
				want[code] += uint16(table[at*perByte+int(b&15)]) + uint16(table[at*perByte+16+int(b>>4)])
			}
		}
		got, plain := make([]uint16, len(want)), make([]uint16, len(want))
		sumSigns(got, signs, table)
		sumSignsPlain(plain, signs, table)
		require.Equal(t, want, plain)
		require.Equal(t, want, got)
	})
}

func TestFinerBitsAreWeighed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 64 << rapid.IntRange(0, 4).Draw(t, "size")
		random := func(t *rapid.T, name string) byte { return byte(rapid.Uint64().Draw(t, name)) }
		code, numbers := make([]byte, n/2), make([]int8, n)
		few := []byte{random(t, "a"), random(t, "b"), random(t, "c"), random(t, "d"), random(t, "e"), 255, 0}
		for i := range code {
			code[i] = few[(i*i+3)%len(few)]
		}
		for i := range numbers {
			numbers[i] = max(-127, int8(few[(i*i+i)%len(few)]))
		}
		if rapid.Bool().Draw(t, "extreme") {
			for i := range code {
				code[i] = 255
			}
			for i := range numbers {
				numbers[i] = 127
			}
		}
		var want int32
		for i, x := range numbers {
			b := code[i/64*32+i%32]
			if i%64 >= 32 {
				b >>= 4
			}
			want += int32(b&15) * int32(x)
		}
		require.Equal(t, want, weighFinerPlain(code, numbers))
		require.Equal(t, want, weighFiner(code, numbers))
	})
}

// A code that is added is found where the kernels look for it.
func TestCodesAreKeptBitByBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCodes(make([]float32, 64<<rapid.IntRange(0, 2).Draw(t, "size")))
		n := rapid.IntRange(1, 70).Draw(t, "n")
		var all [][]uint8
		for at := range n {
			levels := make([]uint8, c.size)
			for i := range levels {
				levels[i] = uint8(at*7+i*i) & codeSteps
			}
			c.keep(levels)
			c.steps = append(c.steps, 1)
			all = append(all, levels)
		}
		for at, levels := range all {
			for i, level := range levels {
				sign := c.signs[(at/blockOf*c.size/8+i/8)*blockOf+at%blockOf] >> (i % 8) & 1
				finer := c.finer[at*c.size/2+i/64*32+i%32] >> (i % 64 / 32 * finerBits) & (1<<finerBits - 1)
				require.Equal(t, level, sign<<finerBits|finer)
			}
		}
	})
}
