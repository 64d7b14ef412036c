package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testOnPage is a command of SECURITY.md that runs tests of one package.
var testOnPage = regexp.MustCompile(`go test (\./[\w/]+) [^&\n]*?-run '?([\w|]+)'?`)

// SECURITY.md names each area of defences, the command that prints them, and
// tests that exist.
func TestSecurityPageNamesAreasAndTests(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	require.NoError(t, err)
	page := string(raw)
	assert.Contains(t, page, "\ngo run ./internal/mutation ")
	for _, a := range areas {
		assert.Regexp(t, fmt.Sprintf("(?m)^Defences: .*`%s`", a.name), page, "no promise names its defences")
	}
	for line := range strings.Lines(page) {
		if named, ok := strings.CutPrefix(line, "Defences: "); ok {
			for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(named, -1) {
				require.NoError(t, list(new(bytes.Buffer), root, name[1]), line)
			}
		}
	}
	folders, err := testFolders(root)
	require.NoError(t, err)
	commands := testOnPage.FindAllStringSubmatch(page, -1)
	assert.NotEmpty(t, commands)
	for _, c := range commands {
		for _, test := range strings.Split(c[2], "|") {
			named := slices.ContainsFunc(slices.Collect(maps.Keys(folders)), func(name string) bool {
				return strings.Contains(name, test) && slices.Contains(folders[name], c[1])
			})
			assert.True(t, named, "no test in %s is named as -run %s asks", c[1], test)
		}
	}
}

// The printed list holds every defence with its test, and an unknown area is an
// error.
func TestList(t *testing.T) {
	var all bytes.Buffer
	require.NoError(t, list(&all, root, ""))
	for _, a := range areas {
		require.NotEmpty(t, a.mutants, a.name)
		var one bytes.Buffer
		require.NoError(t, list(&one, root, a.name))
		assert.Contains(t, all.String(), one.String())
		for _, m := range a.mutants {
			assert.Contains(t, one.String(), fmt.Sprintf("- %s\n  %s: ", m.Defence, m.File))
			assert.Contains(t, one.String(), m.Test)
		}
	}
	require.ErrorContains(t, list(&all, root, "none"), `no area "none"`)
}
