package vector

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The assembly, the portable loop and a sum number by number agree.
func TestSumSigns(t *testing.T) {
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
		signs, table := fill(make([]byte, blocks*blockSize*bytes), 1), fill(make([]byte, bytes*entriesPerByte), 2)
		want := make([]uint16, blocks*blockSize)
		for code := range want {
			for at := range bytes {
				b := signs[(code/blockSize*bytes+at)*blockSize+code%blockSize]
				want[code] += uint16(table[at*entriesPerByte+int(b&15)]) + uint16(table[at*entriesPerByte+16+int(b>>4)])
			}
		}
		got, generic := make([]uint16, len(want)), make([]uint16, len(want))
		sumSigns(got, signs, table)
		sumSignsGeneric(generic, signs, table)
		require.Equal(t, want, generic)
		require.Equal(t, want, got)
	})
}

func TestDotLowBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, codes := 64<<rapid.IntRange(0, 4).Draw(t, "size"), rapid.IntRange(1, 12).Draw(t, "codes")
		places := rapid.SliceOfN(rapid.Uint32Range(0, uint32(codes-1)), 0, 20).Draw(t, "places")
		few := rapid.SliceOfN(rapid.Byte(), 7, 7).Draw(t, "bytes")
		most := rapid.Bool().Draw(t, "most") // the values that could overflow
		low, numbers := make([]byte, codes*n/2), make([]int8, n)
		for i := range low {
			if low[i] = few[(i*i+3*i)%len(few)]; most {
				low[i] = math.MaxUint8
			}
		}
		for i := range numbers {
			if numbers[i] = max(-math.MaxInt8, int8(few[(i*i+i)%len(few)])); most {
				numbers[i] = math.MaxInt8
			}
		}
		want := make([]int32, len(places))
		for k, at := range places {
			for i, x := range numbers {
				b := low[int(at)*n/2+i/64*32+i%32]
				if i%64 >= 32 {
					b >>= 4
				}
				want[k] += int32(b&15) * int32(x)
			}
		}
		generic, got := make([]int32, len(want)), make([]int32, len(want))
		dotLowBitsGeneric(generic, low, places, numbers)
		dotLowBits(got, low, places, numbers)
		require.Equal(t, want, generic)
		require.Equal(t, want, got)
	})
}

// Codes are stored in the layout that the kernels read.
func TestLayoutOfCodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCodes(make([]float32, 64<<rapid.IntRange(0, 2).Draw(t, "size")))
		n := rapid.IntRange(1, 70).Draw(t, "n")
		var all [][]uint8
		for at := range n {
			levels := make([]uint8, c.size)
			for i := range levels {
				levels[i] = uint8(at*7+i*i) & maxLevel
			}
			c.store(levels)
			c.scales = append(c.scales, scale{})
			all = append(all, levels)
		}
		for at, levels := range all {
			for i, level := range levels {
				sign := c.signs[(at/blockSize*c.size/8+i/8)*blockSize+at%blockSize] >> (i % 8) & 1
				low := c.low[at*c.size/2+i/64*32+i%32] >> (i % 64 / 32 * lowBits) & (1<<lowBits - 1)
				require.Equal(t, level, sign<<lowBits|low)
			}
		}
	})
}
