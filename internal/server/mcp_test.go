package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

// withHeaders adds headers to each request.
type withHeaders struct {
	http.RoundTripper

	headers map[string]string
}

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.headers {
		r.Header.Set(name, value)
	}
	return h.RoundTripper.RoundTrip(r)
}

// connect returns the official SDK's client of /mcp.
func (w *world) connect(token string, headers ...string) (*mcp.ClientSession, error) {
	all := map[string]string{"Authorization": "Bearer " + token}
	for i := 0; i < len(headers); i += 2 {
		all[headers[i]] = headers[i+1]
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(w.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.http.URL + "/mcp", HTTPClient: &http.Client{Transport: withHeaders{w.http.Client().Transport, all}}, DisableStandaloneSSE: true,
	}, nil)
	if err == nil {
		w.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

func (w *world) tool(session *mcp.ClientSession, name string, arguments dict) string {
	w.t.Helper()
	r, err := session.CallTool(w.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(w.t, err)
	return r.Content[0].(*mcp.TextContent).Text
}

// The official client remembers through /mcp and finds it in a new session; the
// token alone says whose memory it is, and whose word.
func TestMCPOverHTTP(t *testing.T) {
	w := newWorld(t, Options{})
	first, err := w.connect(w.adaHost)
	require.NoError(t, err)
	listed, err := first.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Tools, 10)
	w.tool(first, "record_turn", dict{"role": "user", "text": "I'm allergic to cashews."})
	require.Contains(t, w.tool(first, "remember_fact", dict{"content": "Ada is allergic to cashews."}), "user's message as its source")
	require.NoError(t, first.Close())
	second, err := w.connect(w.adaClient)
	require.NoError(t, err)
	require.Contains(t, w.tool(second, "search_memory", dict{"query": "What is Ada allergic to?"}), "cashews")
	core, err := second.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ebb://core"})
	require.NoError(t, err)
	require.Contains(t, core.Contents[0].Text, "cashews")
	w.tool(second, "record_turn", dict{"role": "user", "text": "I'm allergic to gluten, not to cashews."})
	require.NoError(t, w.ext.WaitIdle(t.Context()))
	profile, err := w.ext.Profile(t.Context(), extension.Scope{User: "ada"})
	require.NoError(t, err)
	for _, line := range profile.Lines {
		require.NotContains(t, line.Text, "gluten")
	}

	third, err := w.connect(w.bobHost)
	require.NoError(t, err)
	listed, err = third.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Tools, 9, "a token without write-turns")
	require.NotContains(t, w.tool(third, "search_memory", dict{"query": "What is Ada allergic to?"}), "cashews")
	for _, c := range []struct{ user, holds string }{{"ada", "cashews"}, {"bob", "Nothing was found"}} {
		service, err := w.connect(w.service, userHeader, c.user)
		require.NoError(t, err)
		require.Contains(t, w.tool(service, "search_memory", dict{"query": "cashews"}), c.holds)
	}
	for _, headers := range [][]string{nil, {"Origin", "http://evil.example"}, {userHeader, ""}} {
		_, err := w.connect(w.service, headers...)
		require.Error(t, err)
	}
	_, err = w.connect("ebb_wrong")
	require.Error(t, err)
}

// Calls of two users through one server, all at once, never meet.
func TestUsersAreIsolated(t *testing.T) {
	w := newWorld(t, Options{Rate: 10000})
	tokens := map[string]string{"ada": w.adaHost, "bob": w.bobHost}
	for user, token := range tokens {
		w.ask(200, token, "POST", "/v1/facts", dict{"content": "The secret word of " + user + " is " + strings.Repeat(user, 3) + "."})
	}
	done := make(chan string)
	const each = 30
	for user, token := range tokens {
		for range 4 {
			go func() {
				session, err := w.connect(token)
				if err != nil {
					done <- err.Error()
					return
				}
				for range each {
					r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_memory", Arguments: dict{"query": "What is the secret word?"}})
					if err != nil {
						done <- err.Error()
						return
					}
					said := r.Content[0].(*mcp.TextContent).Text
					for other := range tokens {
						if strings.Contains(said, strings.Repeat(other, 3)) != (other == user) {
							done <- user + " was told: " + said
							return
						}
					}
				}
				done <- ""
			}()
		}
	}
	for range 4 * len(tokens) {
		require.Empty(t, <-done)
	}
}

func TestMCPRefusesInvalidMessages(t *testing.T) {
	w := newWorld(t, Options{MaxBody: 4000})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	accept := []string{"Accept", "application/json, text/event-stream"}
	for name, r := range map[string]*http.Request{
		"no json":       w.request(w.adaHost, "POST", "/mcp", "{", accept...),
		"another type":  w.request(w.adaHost, "POST", "/mcp", list, append(accept, "Content-Type", "text/plain")...),
		"too long":      w.request(w.adaHost, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 5000)+`"}`, accept...),
		"get":           w.request(w.adaHost, "GET", "/mcp", "", accept...),
		"no such user":  w.request(w.adaHost, "POST", "/mcp", list, append(accept, userHeader, "bob")...),
		"forged origin": w.request(w.adaHost, "POST", "/mcp", list, append(accept, "Origin", "https://evil.example")...),
	} {
		status, _ := w.do(r)
		require.GreaterOrEqual(t, status, 400, name)
		require.Less(t, status, 500, name)
	}
}
