package mcpserver

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory opens a new memory.
func memory(t testing.TB) *extension.Extension {
	t.Helper()
	return reopened(t, filepath.Join(t.TempDir(), "memory.db"))
}

func reopened(t testing.TB, path string) *extension.Extension {
	t.Helper()
	x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.WithoutCancel(t.Context()))) })
	return x
}

var (
	ada = extension.Scope{User: "ada", Session: "mcp 1"}
	bob = extension.Scope{User: "bob", Session: "mcp 1"}
)

// connect returns the official SDK's client of a new server.
func connect(t testing.TB, x *extension.Extension, scope extension.Scope, o Options) *mcp.ClientSession {
	t.Helper()
	c, err := NewConversation(x, scope, o)
	require.NoError(t, err)
	s, err := New(func(context.Context) (*Conversation, error) { return c, nil }, o)
	require.NoError(t, err)
	there, here := mcp.NewInMemoryTransports()
	serving, err := s.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, client.Close())
		require.NoError(t, serving.Wait())
	})
	return client
}

// answer is a tool's result, read back.
type answer struct {
	text   string
	failed bool

	Change   tools.Change `json:"change"`
	MemoryID string       `json:"memory_id"`
	Records  []record     `json:"records"`
}

// call calls a tool through the client.
func call(t testing.TB, client *mcp.ClientSession, tool string, arguments any) answer {
	t.Helper()
	r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, r.Content, 1)
	a := answer{text: r.Content[0].(*mcp.TextContent).Text, failed: r.IsError}
	require.Equal(t, r.IsError, r.StructuredContent == nil)
	if !r.IsError {
		raw, err := json.Marshal(r.StructuredContent)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &a))
	}
	return a
}

type arguments = map[string]any

const unknownID = "01890000-0000-7000-8000-000000000000"
