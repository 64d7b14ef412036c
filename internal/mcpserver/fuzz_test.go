package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// serve answers the lines that a client writes, and returns what it says until it
// has read all of them.
func serve(t *testing.T, s *mcp.Server, lines string) []string {
	t.Helper()
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(context.WithoutCancel(t.Context()), &mcp.IOTransport{Reader: in, Writer: answers, MaxLineLength: 1 << 20})
		_ = answers.Close()
	}()
	go func() {
		_, _ = io.WriteString(feed, lines)
		_ = feed.Close()
	}()
	var said []string
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 8<<20)
	for scanner.Scan() {
		said = append(said, scanner.Text())
	}
	<-done
	return said
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// Whatever a client writes, the server answers in JSON, tells nothing of another
// user, and changes nothing of hers.
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":"Noor","limit":3}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record_turn","arguments":{"role":"user","text":"hi","id":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forget_memory","arguments":{"memory_id":"` + unknownID + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ebb://entity/Noor"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ebb://memory/%00"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"recall","arguments":{"topic":"Noor"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`[]`, `{`, "\x00", `{"jsonrpc":"1.0"}`, `null`,
	} {
		f.Add(line)
	}
	x := memory(f)
	_, err := x.Remember(f.Context(), bob, "Bob's sister Noor lives in Ghent.")
	require.NoError(f, err)
	o := Options{WriteTurns: true, TrustClient: true}
	f.Fuzz(func(t *testing.T, line string) {
		c, err := NewConversation(x, ada, o)
		require.NoError(t, err)
		s, err := New(func(context.Context) (*Conversation, error) { return c, nil }, o)
		require.NoError(t, err)
		for _, said := range serve(t, s, hello+line+"\n") {
			require.True(t, json.Valid([]byte(said)), said)
			if !strings.Contains(line, "Ghent") {
				require.NotContains(t, said, "Ghent")
			}
		}
		theirs, err := x.Profile(t.Context(), bob)
		require.NoError(t, err)
		require.Len(t, theirs.Lines, 1)
	})
}

// A turn that is read has a role, words and an id that can be stored.
func FuzzTurn(f *testing.F) {
	for _, s := range []string{`{"role":"user","text":"hi"}`, `{"role":"assistant","text":"hi","id":"1"}`, `{"role":"user","text":"hi"} {}`, `{"role":4}`, `[]`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		turn, err := readTurn(raw)
		if err != nil {
			return
		}
		require.Contains(t, []string{"user", "assistant"}, turn.Role)
		require.NotEmpty(t, strings.TrimSpace(turn.Text))
		require.True(t, json.Valid(raw))
	})
}
