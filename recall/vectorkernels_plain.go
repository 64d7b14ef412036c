//go:build !amd64 || purego

package recall

func sumSigns(sums []uint16, signs, table []byte)  { sumSignsPlain(sums, signs, table) }
func weighFiner(code []byte, numbers []int8) int32 { return weighFinerPlain(code, numbers) }
