package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// animals is an embeddings server that knows what a dog is, and nothing else.
// The first answer to a question takes longer than a search waits.
func animals(t *testing.T) (url string, asked *atomic.Pointer[string]) {
	t.Helper()
	asked = new(atomic.Pointer[string])
	var slow atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Model string
			Input []string
		}
		if json.NewDecoder(r.Body).Decode(&request) != nil || !strings.HasSuffix(r.URL.Path, "/v1/embeddings") {
			http.Error(w, "only embeddings are here", http.StatusNotFound)
			return
		}
		asked.Store(&request.Model)
		data := make([]map[string]any, len(request.Input))
		for i, text := range request.Input {
			dog := 0.
			if strings.Contains(text, "terrier") || strings.Contains(text, "puppy") {
				dog = 3
			}
			if strings.Contains(text, "puppy") && slow.CompareAndSwap(false, true) {
				time.Sleep(400 * time.Millisecond)
			}
			data[i] = map[string]any{"index": i, "embedding": []float64{dog, 1, float64(len(text)%5) / 10}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", asked
}

// dogless is a set with one question, which shares no word with its answer.
func dogless(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "conversations"), 0o700))
	var turns strings.Builder
	for i := range 30 {
		text := fmt.Sprintf("Rain again on the %dth.", i+4)
		if i == 12 {
			text = "Qqr terrierx zzw."
		}
		fmt.Fprintf(&turns, `{"id": "t%d", "session": "s%d", "time": "2026-01-02T%02d:00:00Z", "speaker": "Ada", "role": "user", "text": %q}`+"\n", i, i, i%24, text)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "conversations", "ada.jsonl"), []byte(turns.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "queries.jsonl"), []byte(
		`{"conversation": "ada", "id": "q1", "time": "2026-01-04T00:00:00Z", "category": "all", "question": "puppyz xxq", "answer": "a carpet", "evidence": ["t12"]}`+"\n"), 0o600))
	return dir
}

func TestEvalMeasuresWithAnEmbedder(t *testing.T) {
	url, asked := animals(t)
	dir := dogless(t)
	recall := func(args ...string) float64 {
		o := ebb(t, "", append([]string{"--json", "eval", dir}, args...)...)
		require.Equal(t, exitOK, o.code, o.err)
		var view evalView
		require.NoError(t, json.Unmarshal([]byte(o.out), &view))
		return view.Total.Recall["5"]
	}
	require.Zero(t, recall())
	require.Nil(t, asked.Load(), "nobody is asked unless it is said where")
	require.InDelta(t, 1, recall("--embedder", url, "--embed-model", "animals"), 1e-9)
	require.Equal(t, "animals", *asked.Load())
}

func TestEvalWithAnEmbedderThatIsNotThere(t *testing.T) {
	o := ebb(t, "", "eval", evalFixture, "--embed-model", "animals")
	require.Equal(t, exitUsage, o.code)
	require.Contains(t, o.err, "--embed-model names a model, but no --embedder URL says where it is")
	requireOneLine(t, o)
}
