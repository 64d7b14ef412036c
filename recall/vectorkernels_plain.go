//go:build !amd64 || purego

package recall

func sumSigns(sums []uint16, signs, table []byte) { sumSignsPlain(sums, signs, table) }

func weighFiner(products []int32, finer []byte, places []uint32, numbers []int8) {
	weighFinerPlain(products, finer, places, numbers)
}
