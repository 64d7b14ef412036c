package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a server over a new memory, with a token of each kind.
type world struct {
	t      testing.TB
	ext    *extension.Extension
	tokens *Tokens
	server *Server
	http   *httptest.Server

	adaHost, adaClient, bobHost, service string
}

func newWorld(t testing.TB, o Options) *world {
	t.Helper()
	db := filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(t.Context(), db, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, CoreMemory: extension.CoreMemoryConfig{Blocks: fourstores.Blocks()}, Tools: extension.ToolsConfig{Trusted: []string{"calendar"}}})
	require.NoError(t, err)
	w := &world{t: t, ext: x, tokens: TokensOf(db)}
	w.server, err = New(x, w.tokens, o)
	require.NoError(t, err)
	w.server.failures = rate.NewLimiter(rate.Inf, 1) // TestFailedTokensAreSlowed has its own
	w.http = httptest.NewServer(w.server.Handler())
	t.Cleanup(func() {
		w.http.Client().CloseIdleConnections()
		w.http.Close()
		require.NoError(t, x.Close(context.WithoutCancel(t.Context())))
	})
	add := func(token Token) string {
		made, err := w.tokens.Add(token)
		require.NoError(t, err)
		return made
	}
	w.adaHost = add(Token{Name: "ada host", User: "ada", Host: true, WriteTurns: true})
	w.adaClient = add(Token{Name: "ada client", User: "ada", WriteTurns: true})
	w.bobHost = add(Token{Name: "bob host", User: "bob", Host: true})
	w.service = add(Token{Name: "service", Service: true, Host: true})
	return w
}

// request is a request with a token; headers are pairs.
func (w *world) request(token, method, path, content string, headers ...string) *http.Request {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.http.URL+path, bytes.NewReader([]byte(content)))
	require.NoError(w.t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if content != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// do sends a request and returns the status and the body.
func (w *world) do(r *http.Request) (status int, content string) {
	w.t.Helper()
	resp, err := w.http.Client().Do(r)
	require.NoError(w.t, err)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	require.NoError(w.t, resp.Body.Close())
	return resp.StatusCode, string(raw)
}

// ask sends JSON and returns the answer, which must have the status.
func (w *world) ask(status int, token, method, path string, in any, headers ...string) (out map[string]any) {
	w.t.Helper()
	content := ""
	if in != nil {
		raw, err := json.Marshal(in)
		require.NoError(w.t, err)
		content = string(raw)
	}
	got, answered := w.do(w.request(token, method, path, content, headers...))
	require.Equal(w.t, status, got, "%s %s: %s", method, path, answered)
	require.NoError(w.t, json.Unmarshal([]byte(answered), &out), answered)
	return out
}

type dict = map[string]any

const unknownID = "01890000-0000-7000-8000-000000000000"
