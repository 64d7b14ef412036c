package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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
func TestMCPMemoryIsDurable(t *testing.T) {
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

// Exit code 2 of a hook would block the user's prompt.
func TestAFailingHookDoesNotBlockThePrompt(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	for name, more := range map[string][]string{
		"no key file":         {"--user", "ada", "--key-file", db + ".key"},
		"no encoder":          {"--user", "ada", "--encoder", "none-of-that-name"},
		"no profile":          {"--user", "ada", "--profile", "none"},
		"no user":             nil,
		"trust without turns": {"--user", "ada", "--trust-client"},
		"an unknown option":   {"--user", "ada", "--wright-turns"},
	} {
		got := ebb(t, `{"prompt":"Hello"}`, append([]string{"mcp", "--hook", "--db", db}, more...)...)
		require.Equal(t, exitFailure, got.code, "%s: %s", name, got.err)
		require.NotEmpty(t, got.err, name)
		require.Empty(t, got.out, name)
	}
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

// While a server has the file open, "ebb mcp" goes through it; when the server is
// killed it opens the file itself, and nothing is lost or stored twice.
func TestMCPGoesThroughARunningServer(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	args := []string{"--db", db, "--user", "ada", "--write-turns", "--trust-client"}
	_, server := startServer(t, "--db", db)
	announced := db + ".serve"
	require.FileExists(t, announced)
	client, child := mcpClient(t, args...)
	other, _ := mcpClient(t, "--db", db, "--user", "bob")
	record := func(said string) {
		t.Helper()
		callTool(t, client, "record_turn", map[string]any{"role": "user", "text": said})
	}
	record("I'm allergic to cashews.")
	require.Contains(t, callTool(t, client, "remember_fact", map[string]any{"content": "I'm allergic to cashews."}), "user's message as its source")
	require.Contains(t, callTool(t, client, "search_memory", map[string]any{"query": "What am I allergic to?"}), "cashews")
	require.NotContains(t, callTool(t, other, "search_memory", map[string]any{"query": "What am I allergic to?"}), "cashews")
	core, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ebb://core"})
	require.NoError(t, err)
	require.Contains(t, core.Contents[0].Text, "cashews")
	prompt, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "what_do_you_know"})
	require.NoError(t, err)
	require.NotEmpty(t, prompt.Messages)
	_, err = client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ebb://memory/none"})
	require.ErrorContains(t, err, "not found")
	refused, err := other.CallTool(t.Context(), &mcp.CallToolParams{Name: "record_turn", Arguments: map[string]any{"role": "user", "text": "x"}})
	require.True(t, err != nil || refused.IsError, "this client may not record")
	require.False(t, hasOpen(t, child, db), "the client's process leaves the file alone")

	require.NoError(t, server.Process.Kill())
	require.Error(t, server.Wait())
	record("My violin teacher is Ottilie.")
	require.True(t, hasOpen(t, child, db))
	require.FileExists(t, announced, "a server that is killed leaves its announcement behind")
	direct, straight := mcpClient(t, args...) // in spite of it
	require.Contains(t, callTool(t, direct, "search_memory", map[string]any{"query": "Who is my violin teacher?"}), "Ottilie")
	require.True(t, hasOpen(t, straight, db))

	_, server = startServer(t, "--db", db)
	again, through := mcpClient(t, args...)
	require.Contains(t, callTool(t, again, "search_memory", map[string]any{"query": "Who is my violin teacher?"}), "Ottilie")
	require.False(t, hasOpen(t, through, db), "the next server replaces it")
	require.Equal(t, exitOK, ebb(t, "", "backup", filepath.Join(t.TempDir(), "copy.db"), "--db", db).code)
	require.Equal(t, exitOK, ebb(t, "", "doctor", "--db", db).code)
	require.NoError(t, server.Process.Signal(os.Interrupt))
	require.NoError(t, server.Wait())
	require.NoFileExists(t, announced, "a server that ends takes it back")
	record("I live in Ghent.")
	turns := ebb(t, "", "timeline", "--db", db, "--user", "ada", "--json")
	require.Equal(t, exitOK, turns.code, turns.err)
	for _, said := range []string{"allergic to cashews.", "Ottilie", "Ghent"} {
		require.Contains(t, turns.out, said)
	}
	for _, c := range []*mcp.ClientSession{client, other, direct, again} {
		require.NoError(t, c.Close())
	}
}

// An announcement that other users could have written or read is ignored, and the
// client's operator is notified.
func TestMCPRefusesAnAnnouncementOfOthers(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	startServer(t, "--db", db)
	require.NoError(t, os.Chmod(db+".serve", 0o644))
	got := ebb(t, "", "mcp", "--db", db, "--user", "ada")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.err, "can be read by others")
	client, child := mcpClient(t, "--db", db, "--user", "ada")
	callTool(t, client, "search_memory", map[string]any{"query": "What am I allergic to?"})
	require.True(t, hasOpen(t, child, db))
	require.NoError(t, client.Close())
}

// Who has not the key of an encrypted memory does not get in through its server.
func TestMCPNeedsTheKeyThroughAServerToo(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	keys := t.TempDir()
	right := writeTo(t, filepath.Join(keys, "right"), strings.Repeat("a1", 32))
	wrong := writeTo(t, filepath.Join(keys, "wrong"), strings.Repeat("b2", 32))
	startServer(t, "--db", db, "--key-file", right)
	client, child := mcpClient(t, "--db", db, "--user", "ada", "--key-file", right)
	callTool(t, client, "search_memory", map[string]any{"query": "What am I allergic to?"})
	require.False(t, hasOpen(t, child, db))
	require.NoError(t, client.Close())
	for _, key := range [][]string{nil, {"--key-file", wrong}} {
		got := ebb(t, "", append([]string{"mcp", "--db", db, "--user", "ada"}, key...)...)
		require.NotEqual(t, exitOK, got.code)
		require.Contains(t, got.err, "key")
	}
}

// hasOpen reports whether a process has a file open.
func hasOpen(t *testing.T, child *exec.Cmd, path string) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	folder := filepath.Join("/proc", strconv.Itoa(child.Process.Pid), "fd")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(folder, e.Name())); err == nil && target == path {
			return true
		}
	}
	return false
}
