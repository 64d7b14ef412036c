package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestMCPProcess is the process that a client starts.
func TestMCPProcess(*testing.T) {
	if args := os.Getenv("EBB_TEST_MCP"); args != "" {
		os.Args = append([]string{"ebb"}, strings.Split(args, "\n")...)
		main()
	}
}

// mcpClient starts "ebb mcp" as a client does, with the official SDK.
func mcpClient(t *testing.T, args ...string) (*mcp.ClientSession, *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestMCPProcess$")
	child.Env = append(os.Environ(), "EBB_TEST_MCP="+strings.Join(append([]string{"mcp"}, args...), "\n"))
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: child}, nil)
	require.NoError(t, err)
	return client, child
}

func callTool(t *testing.T, client *mcp.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	answer := r.Content[0].(*mcp.TextContent).Text
	require.False(t, r.IsError, answer)
	return answer
}

// An agent remembers through MCP, its server is killed, and in a new session it is
// asked: what was acknowledged is there.
func TestWhatAnAgentRemembersOutlivesItsServer(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	args := []string{"--db", db, "--user", "ada", "--write-turns", "--trust-client"}
	for _, said := range []string{"I'm allergic to cashews.", "My violin teacher is Ottilie.", "I live in Ghent."} {
		client, child := mcpClient(t, args...)
		callTool(t, client, "record_turn", map[string]any{"role": "user", "text": said})
		require.Contains(t, callTool(t, client, "remember_fact", map[string]any{"content": said}), "user's message as its source")
		require.NoError(t, child.Process.Kill())
		_ = client.Close() // its process is gone
	}
	client, _ := mcpClient(t, args...)
	for question, answer := range map[string]string{"What am I allergic to?": "cashews", "Who is my violin teacher?": "Ottilie", "Where do I live?": "Ghent"} {
		require.Contains(t, callTool(t, client, "search_memory", map[string]any{"query": question}), answer)
	}
	core, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ebb://core"})
	require.NoError(t, err)
	require.Contains(t, core.Contents[0].Text, "cashews")
	require.NoError(t, client.Close())
	stats := ebb(t, "", "stats", "--db", db, "--json")
	require.Equal(t, exitOK, stats.code, stats.err)
}

func TestMCPCommandLine(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	for name, args := range map[string][]string{
		"no user":             {"mcp", "--db", db},
		"trust without turns": {"mcp", "--db", db, "--user", "ada", "--trust-client"},
	} {
		got := ebb(t, "", args...)
		require.Equal(t, exitUsage, got.code, name)
		require.Empty(t, got.out, name)
		require.NoFileExists(t, db, name)
	}
	got := ebb(t, "", "mcp", "--db", db, "--user", "ada")
	require.Equal(t, exitOK, got.code, "the end of the input ends the server: %s", got.err)
	require.Empty(t, got.out, "nothing but the protocol is written")
}

// A signal ends the server, and standard output holds nothing but messages.
func TestMCPStopsWhenAsked(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	out, writer := io.Pipe()
	done := make(chan int)
	go func() {
		code := run(ctx, []string{"mcp", "--db", filepath.Join(t.TempDir(), "memory.db"), "--user", "ada"}, in, writer, io.Discard)
		_ = writer.Close()
		done <- code
	}()
	_, err := io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
	require.NoError(t, err)
	var answer map[string]any
	require.NoError(t, json.NewDecoder(out).Decode(&answer))
	require.Contains(t, answer, "result")
	stop()
	require.NoError(t, feed.Close())
	require.Equal(t, exitOK, <-done)
	rest, err := io.ReadAll(out)
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(string(rest)))
}
