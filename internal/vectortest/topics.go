package vectortest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
)

// Topics is an embedder that knows two subjects; it stands in for a paid one.
type Topics struct {
	Broken atomic.Bool // every call fails
}

// EmbedDocuments returns a vector of three numbers for each text.
func (e *Topics) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	if e.Broken.Load() {
		return nil, errors.New("the embedder is away")
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = []float32{0.1, 0.1, 0.1}
		for subject, words := range [][]string{{"dog", "puppy", "terrier"}, {"piano", "cello", "music"}} {
			for _, w := range words {
				if strings.Contains(strings.ToLower(t), w) {
					vectors[i][subject] = 1
				}
			}
		}
	}
	return vectors, nil
}

// EmbedQuery is EmbedDocuments of one text.
func (e *Topics) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.EmbedDocuments(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}
