package encoder

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/embeddings"
)

var _ embeddings.Embedder = (*Encoder)(nil)

// modelVariable names the folder of all-MiniLM-L6-v2, which is not in the
// repository.
const modelVariable = "EBB_ENCODER_MODEL"

// referenceVariable names a file that testdata/reference.py has made with the
// model, in place of the one in testdata.
const referenceVariable = "EBB_ENCODER_REFERENCE"

func openModel(t testing.TB, options ...Option) *Encoder {
	t.Helper()
	dir := os.Getenv(modelVariable)
	if dir == "" {
		t.Skipf("%s names no model folder", modelVariable)
	}
	e, err := Open(dir, options...)
	require.NoError(t, err)
	return e
}

// reference is one line of testdata/reference.py.
type reference struct {
	Text   string    `json:"text"`
	IDs    []int32   `json:"ids"`
	Vector []float32 `json:"vector"`
}

func readReference(t testing.TB, path string) (all []reference) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r reference
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		all = append(all, r)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}

// requireReference compares tokens and vectors with those of the reference.
func requireReference(t *testing.T, e *Encoder, all []reference, embed func(texts []string) ([][]float32, error)) {
	t.Helper()
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = r.Text
	}
	vectors, err := embed(texts)
	require.NoError(t, err)
	least, bound := 1., 0.99999
	if e.int8 {
		bound = 0.9999 // weights halfway between two steps are rounded either way
	}
	for i, r := range all {
		if r.IDs != nil {
			ids := e.tokenizer.encode(e.documentPrompt+r.Text, e.limit, e.network.special())
			require.Equal(t, r.IDs, ids, "tokens of %q", r.Text)
		}
		least = min(least, cosine(r.Vector, vectors[i]))
		require.Greater(t, cosine(r.Vector, vectors[i]), bound, "vector of %q", r.Text)
	}
	t.Logf("%d texts, least cosine %.7f", len(all), least)
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

func TestMiniLMIsTheReference(t *testing.T) {
	e := openModel(t)
	path := os.Getenv(referenceVariable)
	if path == "" {
		path = "testdata/minilm.jsonl"
	}
	requireReference(t, e, readReference(t, path), func(texts []string) ([][]float32, error) {
		return e.EmbedDocuments(t.Context(), texts)
	})
}

// ONNX Runtime has an int8 model with the same rounding of weights. Activations
// rounded to int16 here, and not at all there, make no difference.
func TestMiniLMInt8IsTheReference(t *testing.T) {
	e := openModel(t, Int8())
	requireReference(t, e, readReference(t, "testdata/minilm-int8.jsonl"), func(texts []string) ([][]float32, error) {
		return e.EmbedDocuments(t.Context(), texts)
	})
}
