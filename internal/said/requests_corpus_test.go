package said

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The corpus holds 1,800 invented messages by an author who does not know the rules, 40 %
// of them only look like a request. [intent.Forget] is fitted to one half, this is the
// other. What is taken must be right, above all what asks to keep must not be forgotten;
// what may be a request waits for a sign of the assistant.
func TestRequestsOfACorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/requests/*.jsonl")
	require.NoError(t, err)
	require.Len(t, files, 4)
	count := make(map[string]int)
	for _, file := range files {
		lines, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range bytes.Lines(lines) {
			var r struct{ M, Verb string }
			require.NoError(t, json.Unmarshal(line, &r))
			if h := fnv.New32a(); func() uint32 { h.Write([]byte(r.M)); return h.Sum32() }()%2 != 0 {
				continue // the model is fitted to it
			}
			taken := "none"
			for _, q := range Requests(r.M) {
				switch {
				case q.Verb == Keep:
					taken = "keep"
				case q.Unsure:
					taken = "unsure"
				default:
					taken = "forget"
				}
			}
			count[r.Verb+" as "+taken]++
		}
	}
	t.Log(count)
	keep, forget := count["keep as keep"], count["forget as forget"]
	assert.GreaterOrEqual(t, keep, 50, "of 250")
	assert.GreaterOrEqual(t, forget, 160, "of 281")
	assert.GreaterOrEqual(t, forget+count["forget as unsure"], 235, "of 281")
	assert.LessOrEqual(t, count["keep as forget"], 6)
	assert.LessOrEqual(t, count["forget as keep"], 3)
	assert.LessOrEqual(t, count["none as keep"], keep/10)
	assert.LessOrEqual(t, count["none as forget"], forget/15)
}
