//go:build !amd64 || purego

package vector

func sumSigns(sums []uint16, signs, table []byte) { sumSignsGeneric(sums, signs, table) }

func dotLowBits(products []int32, lowBits []byte, places []uint32, numbers []int8) {
	dotLowBitsGeneric(products, lowBits, places, numbers)
}
