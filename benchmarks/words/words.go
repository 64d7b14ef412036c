// Package words makes vectors of words alone, by feature hashing, at a cost that
// does not dominate the measurement. They are of no use for recall, which
// benchmarks/embedder measures with an encoder.
package words

import (
	"context"
	"hash/fnv"
	"math"
	"strings"
)

// Dims is the length of a vector.
const Dims = 256

// Vector is the text's, of unit length.
func Vector(text string) []float32 {
	v := make([]float32, Dims)
	for _, w := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New64a()
		h.Write([]byte(strings.Trim(w, ".,!?;:\"'")))
		bits := h.Sum64()
		for range 4 { // a word has four directions, so that two words are rarely similar
			sign := float32(1)
			if bits&1 == 1 {
				sign = -1
			}
			v[bits>>1%Dims] += sign
			bits = bits>>16 | bits<<48
		}
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		v[0], square = 1, 1
	}
	length := float32(math.Sqrt(square))
	for i := range v {
		v[i] /= length
	}
	return v
}

// Embedder is [Vector] as langchaingo's embedder.
type Embedder struct{}

// EmbedDocuments makes the vectors of texts.
func (Embedder) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = Vector(t)
	}
	return vectors, nil
}

// EmbedQuery makes the vector of a question.
func (Embedder) EmbedQuery(_ context.Context, text string) ([]float32, error) {
	return Vector(text), nil
}
