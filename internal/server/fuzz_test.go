package server

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

// Whatever a valid token sends to any route: no fault, an answer in JSON, nothing
// of another user, and nothing of hers changed.
func FuzzRequests(f *testing.F) {
	all := endpoints()
	for i, e := range all {
		f.Add(uint8(i), unknownID, `{"query":"Noor","limit":3,"question":"Noor","content":"I live in Oslo.","turns":[{"role":"user","text":"hi"}]}`, "")
		f.Add(uint8(i), "x", `{}`, "limit=1")
		_ = e
	}
	f.Add(uint8(0), "a", `{"turns":[{"role":"user","text":"hi","at":"2026-01-01T00:00:00Z"}]}`, "user=bob")
	f.Add(uint8(2), "a", `{"query":"x","since":"0000-01-01T00:00:00Z"}`, "")
	f.Add(uint8(len(all)), "a", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":"Noor"}}}`, "")
	w := newWorld(f, Options{Rate: 1 << 20})
	_, err := w.ext.Remember(f.Context(), extension.Scope{User: "bob"}, "My sister Noor lives in Ghent.")
	require.NoError(f, err)
	faults := 0
	w.server.o.Report = func(error) { faults++ }
	h := w.server.Handler()
	f.Fuzz(func(t *testing.T, route uint8, id, content, query string) {
		method, path := "POST", "/mcp"
		if int(route) < len(all) {
			method, path = all[route].method, all[route].path
		}
		path = strings.ReplaceAll(path, "{id}", strings.Map(func(r rune) rune {
			if r == '/' || r == '?' || r == '#' || r <= ' ' || r > '~' {
				return 'x'
			}
			return r
		}, strings.ReplaceAll(id, "%", "x")))
		for _, token := range []string{w.adaHost, w.adaClient} {
			r := httptest.NewRequest(method, "http://localhost/", strings.NewReader(content)).WithContext(t.Context())
			r.URL.Path, r.URL.RawQuery = path, query
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			out := httptest.NewRecorder()
			h.ServeHTTP(out, r)
			require.Less(t, out.Code, 500, "%s %s: %s", method, path, out.Body)
			require.Zero(t, faults)
			if !strings.Contains(content+query, "Ghent") {
				require.NotContains(t, out.Body.String(), "Ghent")
			}
			if strings.HasPrefix(path, "/v1") && out.Header().Get("Content-Type") == "application/json" {
				require.True(t, json.Valid(out.Body.Bytes()))
			}
		}
		theirs, err := w.ext.Profile(t.Context(), extension.Scope{User: "bob"})
		require.NoError(t, err)
		require.Len(t, theirs.Lines, 1)
	})
}

// A file of tokens is read whole or refused.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		`{"tokens":[]}`, `{"tokens":[{"name":"a","hash":"` + hashOf("x") + `","user":"ada","created":"2026-01-01T00:00:00Z"}]}`,
		`{"tokens":[{"name":"a","hash":"` + hashOf("x") + `","service":true,"user":"ada","created":"2026-01-01T00:00:00Z"}]}`, `{`, `{"tokens":[{}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := parseTokens(raw)
		if err != nil {
			require.Empty(t, all)
			require.Equal(t, "the file of tokens is damaged", err.Error(), "nothing of the file is shown")
			return
		}
		for _, token := range all {
			require.NoError(t, token.Validate())
			require.Len(t, token.Hash, 64)
		}
	})
}
