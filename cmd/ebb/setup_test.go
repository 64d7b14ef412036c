package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person sets a client up, looks first, changes their mind, and takes it back.
func TestSetup(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("AppData", home)
	path := filepath.Join(home, ".cursor", "mcp.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	const before = "{\n  \"mcpServers\": {\n    \"git\": {\"command\": \"git-mcp\"}\n  }\n}\n"
	require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
	db := filepath.Join(home, "memory.db")
	config := func() string {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(content)
	}
	args := func() []any {
		var file struct {
			Servers map[string]struct {
				Command string
				Args    []any
			} `json:"mcpServers"`
		}
		require.NoError(t, json.Unmarshal([]byte(config()), &file))
		require.Contains(t, file.Servers, "git")
		require.True(t, filepath.IsAbs(file.Servers["ebb"].Command))
		return file.Servers["ebb"].Args
	}
	setup := func(stdin string, more ...string) outcome {
		return ebb(t, stdin, append([]string{"setup", "cursor", "--db", db, "--user", "ada"}, more...)...)
	}
	got := setup("", "--dry-run")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, `"ebb"`)
	require.Equal(t, before, config())
	for _, no := range []string{"", "n\nn\n", "y\n", "maybe\nlater\n"} {
		got = setup(no)
		require.Contains(t, got.out, "Nothing was written")
		require.Contains(t, got.err, "Is ada the only person who uses Cursor?")
		require.Equal(t, before, config())
	}
	require.Contains(t, setup("n\ny\n").out, "Written. Restart Cursor.\nThen tell it something to remember, and look at it with: ebb inspect "+db+"\n")
	require.Equal(t, []any{"mcp", "--db", db, "--user", "ada"}, args())
	require.Contains(t, setup("n\n").out, "as it should be already")
	require.Contains(t, setup("y\ny\n").out, "Written")
	require.Equal(t, []any{"mcp", "--db", db, "--user", "ada", "--write-turns", "--trust-client"}, args())
	require.Contains(t, setup("", "--yes").out, "Written")
	require.NotContains(t, args(), "--trust-client", "silence is no trust")
	removed := setup("", "--remove", "--yes").out
	require.Contains(t, removed, "Written")
	require.NotContains(t, removed, "inspect")
	require.Equal(t, before, config())
	require.Contains(t, setup("", "--remove").out, "nothing to remove")
	require.NoFileExists(t, db, "no memory is made before the client asks")

	for _, bad := range [][]string{{"setup", "emacs", "--user", "ada"}, {"setup", "cursor", "--yes"}, {"setup", "claude-desktop", "--project", "--user", "ada"}} {
		require.Equal(t, exitUsage, ebb(t, "", append(bad, "--db", db)...).code, "%v", bad)
	}
	unnamed := func(db, stdin string) outcome { return ebb(t, stdin, "setup", "cursor", "--db", db) }
	got = unnamed(db, "y\ny\n")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "--user")
	require.NotContains(t, got.err, "only person", "nothing is asked about a user without a name")
	got = unnamed(newFixture(t, "ada", "ben").db, "y\ny\n")
	require.Equal(t, exitUsage, got.code)
	require.NotContains(t, got.err, "only person")
	require.Contains(t, unnamed(newFixture(t, "ada").db, "n\nn\n").err, "Is ada the only person who uses Cursor?")
	require.NoError(t, os.WriteFile(path, []byte("{broken"), 0o600))
	require.Equal(t, exitFailure, setup("", "--yes").code)
	require.Equal(t, "{broken", config())
}

// A client starts what its configuration says.
func TestSetupStartsAServer(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	db := filepath.Join(home, "memory.db")
	require.Equal(t, exitOK, ebb(t, "", "setup", "claude-code", "--db", db, "--user", "ada", "--trust-client", "--yes").code)
	content, err := os.ReadFile(filepath.Join(home, ".claude.json"))
	require.NoError(t, err)
	var file struct {
		Servers map[string]struct {
			Type string
			Args []string
		} `json:"mcpServers"`
	}
	require.NoError(t, json.Unmarshal(content, &file))
	require.Equal(t, "stdio", file.Servers["ebb"].Type)
	client, _ := mcpClient(t, file.Servers["ebb"].Args[1:]...)
	require.Contains(t, callTool(t, client, "record_turn", map[string]any{"role": "user", "text": "I live in Ghent."}), "Recorded")
	require.NoError(t, client.Close())
}
