package mutation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table stands between these lines of SECURITY.md.
const (
	tableBegins = "<!-- defences: written by go test ./internal/mutation -update -->\n"
	tableEnds   = "<!-- end of defences -->\n"
)

// SECURITY.md lists every defence, and no other.
func TestSecurityPageListsTheDefences(t *testing.T) {
	name := filepath.Join(root, "SECURITY.md")
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(page), tableBegins)
	require.True(t, found, "the page lacks %q", tableBegins)
	_, tail, found := strings.Cut(rest, tableEnds)
	require.True(t, found, "the page lacks %q", tableEnds)
	want := head + tableBegins + table() + tableEnds + tail
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(page), "run go test ./internal/mutation -run Security -update")
}

func table() string {
	var out strings.Builder
	for _, a := range areas {
		if len(a.mutants) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n### %s\n\n| defence | where | removed by | noticed by |\n|---|---|---|---|\n", a.title)
		for _, m := range a.mutants {
			fmt.Fprintf(&out, "| %s | `%s` | %s | `go test %s -run %s` |\n",
				cell(m.Defence), m.File, change(m), strings.Join(append([]string{m.Package}, m.Args...), " "), cell(m.Test))
		}
	}
	out.WriteString("\n")
	return out.String()
}

// change shows a mutant in a table's cell.
func change(m Mutant) string {
	if strings.TrimSpace(m.New) == "" {
		return "taking out " + fragment(m.Old)
	}
	return fragment(m.Old) + " → " + fragment(m.New)
}

// fragment is code on one line, cut to what a cell can show.
func fragment(code string) string {
	const most = 70
	line := []rune(strings.Join(strings.Fields(code), " "))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return "`" + cell(strings.ReplaceAll(string(line), "`", "'")) + "`"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
