package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each link of the site leads somewhere: to a page or a place on it, to an image, or to
// a file of the repository.
func TestLinksLead(t *testing.T) {
	out := t.TempDir()
	n, err := build("../..", out)
	require.NoError(t, err)
	require.Greater(t, n, 8)
	pages, err := filepath.Glob(filepath.Join(out, "*.html"))
	require.NoError(t, err)
	require.Len(t, pages, n)
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		require.NotContains(t, string(content), "raw HTML omitted", page)
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(string(content), -1) {
			link := html.UnescapeString(m[1])
			if file, ours := strings.CutPrefix(link, source); ours {
				file, _, _ = strings.Cut(file, "#")
				_, err := os.Stat(filepath.Join("../..", file))
				require.NoError(t, err, "%s in %s", link, page)
				continue
			}
			if strings.Contains(link, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link, "#")
			target := page
			if file != "" {
				target = filepath.Join(out, file)
			}
			there, err := os.ReadFile(target)
			require.NoError(t, err, "%s in %s", link, page)
			if anchor != "" {
				require.Contains(t, string(there), `id="`+anchor+`"`, "%s in %s", link, page)
			}
		}
	}
}
