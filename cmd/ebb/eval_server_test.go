package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
)

// The rankings of a memory on a server are those of a memory in a file, to the last byte
// of every score.
func TestRunFilesOfBothEngines(t *testing.T) {
	url, _ := animals(t)
	for name, args := range map[string][]string{
		"text":    {evalFixture},
		"chinese": {"testdata/eval-zh"},
		"vectors": {evalFixture, "--embedder", url, "--embed-model", "animals"},
		"facts":   {evalFixture, "--facts", filepath.Join(evalFixture, "observations.jsonl")},
		"options": {evalFixture, "--diversity", "0.3", "--k", "40"},
	} {
		t.Run(name, func(t *testing.T) {
			var runs [2]string
			for i, place := range []func(testing.TB){memtest.OnServer, memtest.OnFile} {
				place(t)
				path := filepath.Join(t.TempDir(), "run")
				o := ebb(t, "", append([]string{"eval", "--run", path}, args...)...)
				require.Equal(t, exitOK, o.code, o.err)
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				runs[i] = string(content)
			}
			require.NotEmpty(t, runs[0])
			require.Equal(t, runs[0], runs[1])
		})
	}
}
