package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples in other languages run against the server that a person starts.
func TestExamplesInOtherLanguages(t *testing.T) {
	python := []string{"python3", "../../examples/python/ebb.py"}
	node := []string{"node", "../../examples/typescript/ebb.ts"}
	if out, err := exec.CommandContext(t.Context(), "node", "-p", "process.features.typescript || ''").Output(); err != nil || strings.TrimSpace(string(out)) == "" {
		node[0] = "" // none, or one that does not run TypeScript
	}
	for name, command := range map[string][]string{"Python": python, "TypeScript": node} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not run here: it needs python3, or node 22.18", command[1])
			}
			db := filepath.Join(t.TempDir(), "m.db")
			o := ebb(t, "", "--db", db, "--user", "ada", "--json", "token", "add", "example", "--as", "host")
			require.Equal(t, exitOK, o.code, o.err)
			_, token, _ := strings.Cut(o.out, `"token": "`)
			token, _, _ = strings.Cut(token, `"`)
			address, _ := startServer(t, "--db", db)
			example := exec.CommandContext(t.Context(), command[0], command[1:]...)
			example.Env = append(os.Environ(), "EBB_URL="+address, "EBB_TOKEN="+token, "NO_PROXY=127.0.0.1")
			out, err := example.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "remember: saved")
			require.Contains(t, string(out), "search: I'm allergic to cashews.")
			require.Regexp(t, `(?s)context: <memory nonce.*allergic to cashews`, string(out))
		})
	}
}
