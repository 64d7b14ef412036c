package plugin_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

var goBlock = regexp.MustCompile("(?s)\n```go\n(.*?)\n```")

// Go code in README.md and docs/ compiles: each block stands, line by line, in
// a Go file of this module, outside of comments.
func TestGoCodeInTheDocumentsCompiles(t *testing.T) {
	racing.Alone(t)
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	profiles, err := filepath.Glob("../docs/profiles/*.md")
	require.NoError(t, err)
	pages = append(append(pages, profiles...), "../README.md")
	code := moduleCode(t)
	blocks := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range goBlock.FindAllStringSubmatch(string(content), -1) {
			blocks++
			require.True(t, strings.Contains(code, codeLines(m[1])), "%s: no Go file holds this block:\n%s", page, m[1])
		}
	}
	require.Positive(t, blocks)
}

// moduleCode is the code of the module without comments and indentation.
func moduleCode(t *testing.T) string {
	t.Helper()
	var code strings.Builder
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "benchmarks" || d.Name() == ".git"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		content, err := os.ReadFile(path)
		code.WriteString(codeLines(string(content)))
		return err
	}))
	return code.String()
}

var lineComment = regexp.MustCompile(`(^|\s)// .*$`)

// codeLines drops comments, indentation, alignment and empty lines.
func codeLines(code string) string {
	var out strings.Builder
	for line := range strings.Lines(code) {
		line = lineComment.ReplaceAllString(strings.TrimSpace(line), "")
		if words := strings.Fields(line); len(words) > 0 {
			out.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return out.String()
}
