package llmtest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"
)

// Embed sets the function that serves /embeddings. It must return vectors of one
// length and be safe for concurrent use.
func (s *Server) Embed(f func(text string) []float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.embed = f
}

// Embedded returns the number of embedded texts.
func (s *Server) Embedded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.embedded
}

// Embedder returns langchaingo's embedder over its OpenAI client. It asks for
// vectors of dims dimensions; 0 means those of the function of [Server.Embed].
func (s *Server) Embedder(t testing.TB, dims int) embeddings.Embedder {
	t.Helper()
	e, err := embeddings.NewEmbedder(s.LLM(t, openai.WithEmbeddingDimensions(dims)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// inputs reads one text or a list of them.
type inputs []string

func (in *inputs) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*in = inputs{one}
		return nil
	}
	var list []string
	err := json.Unmarshal(b, &list)
	*in = list
	return err
}

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Input      inputs `json:"input"`
		Model      string `json:"model"`
		Dimensions int    `json:"dimensions"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		s.refuse(w, "this embedding request is no JSON: "+err.Error())
		return
	}
	s.mu.Lock()
	embed := s.embed
	s.mu.Unlock()
	if embed == nil {
		s.problem(fmt.Sprintf("vectors of %q were asked for, but Embed was not called", req.Input))
		writeError(w, http.StatusInternalServerError, "no embedding function was set")
		return
	}
	type datum struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]datum, len(req.Input))
	for i, in := range req.Input {
		v := embed(in)
		if req.Dimensions > len(v) {
			s.refuse(w, fmt.Sprintf("%d dimensions were asked for, but the vector of %q has %d", req.Dimensions, in, len(v)))
			return
		}
		if req.Dimensions > 0 && req.Dimensions < len(v) {
			v = shorten(v, req.Dimensions)
		}
		data[i] = datum{"embedding", i, v}
	}
	s.mu.Lock()
	s.embedded += len(req.Input)
	s.mu.Unlock()
	setContentType(w, false)
	_, _ = w.Write([]byte(encode(map[string]any{"object": "list", "model": req.Model, "data": data})))
}

// shorten returns the first dims components, scaled to length 1.
func shorten(v []float32, dims int) []float32 {
	var square float64
	for _, x := range v[:dims] {
		square += float64(x) * float64(x)
	}
	short := make([]float32, dims)
	if square == 0 {
		return short
	}
	for i, x := range v[:dims] {
		short[i] = float32(float64(x) / math.Sqrt(square))
	}
	return short
}
