package peer

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// WriteVectors writes vectors of one length to a file: that length, then the
// numbers, four bytes each, little-endian.
func WriteVectors(path string, vectors [][]float32) error {
	if len(vectors) == 0 {
		return fmt.Errorf("%s: no vectors to write", path)
	}
	dims := len(vectors[0])
	raw := make([]byte, 0, 4+4*dims*len(vectors))
	raw = binary.LittleEndian.AppendUint32(raw, uint32(dims))
	for i, v := range vectors {
		if len(v) != dims {
			return fmt.Errorf("%s: vector %d has %d numbers, others have %d", path, i, len(v), dims)
		}
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	}
	return os.WriteFile(path, raw, 0o600)
}

// ReadVectors reads what [WriteVectors] wrote.
func ReadVectors(path string) ([][]float32, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(raw) < 4 {
		return nil, fmt.Errorf("%s holds no vectors", path)
	}
	dims := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	if dims <= 0 || len(raw) == 0 || len(raw)%(4*dims) != 0 {
		return nil, fmt.Errorf("%s does not hold whole vectors of %d numbers", path, dims)
	}
	all := make([][]float32, len(raw)/(4*dims))
	for i := range all {
		all[i] = make([]float32, dims)
		for j := range dims {
			all[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*(i*dims+j):]))
		}
	}
	return all, nil
}
