package server

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpguts"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
)

// requestOf is a request that package http would pass on, nil for one that it refuses
// itself. The lines of headers are those of the protocol.
func requestOf(method, path, query, headers, content string) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")))
	if err != nil {
		panic(err) // it is fixed
	}
	more, err := textproto.NewReader(bufio.NewReader(strings.NewReader(headers + "\r\n\r\n"))).ReadMIMEHeader()
	if err != nil || !httpguts.ValidHeaderFieldName(method) {
		return nil
	}
	if r.URL, err = url.ParseRequestURI((&url.URL{Path: "/" + strings.TrimPrefix(path, "/"), RawQuery: query}).String()); err != nil {
		return nil
	}
	for name, values := range more {
		for _, value := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return nil
			}
		}
	}
	r.Method, r.Header, r.Body, r.ContentLength = method, http.Header(more), io.NopCloser(strings.NewReader(content)), int64(len(content))
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	return r
}

// Whatever is sent to any route, with any method and headers, with a token of each kind
// and without one: no fault, an answer in JSON, nothing of another user, nothing of hers
// changed, and without a token nothing at all.
func FuzzRequests(f *testing.F) {
	all := append(endpoints(), endpoint{method: "POST", path: "/mcp"}, endpoint{method: "GET", path: "/metrics"}, endpoint{method: "GET", path: "/healthz"}, endpoint{method: "GET", path: "/v1/openapi.json"}, endpoint{method: "DELETE", path: "/mcp"})
	const everything = `{"query":"Noor","limit":3,"question":"Noor","content":"I live in Oslo.","turns":[{"role":"user","text":"hi"}]}`
	for i := range all {
		for who := range uint8(5) {
			f.Add(uint8(i), who, "", unknownID, everything, "", "")
		}
		f.Add(uint8(i), uint8(0), "", "x", `{}`, "limit=1", "")
		f.Add(uint8(i), uint8(0), "PATCH", "x", `{}`, "", "Content-Type: text/plain\nExpect: 100-continue")
		f.Add(uint8(i), uint8(1), "HEAD", unknownID, "", "limit=99999999999999999999", "Origin: http://localhost\nHost: [::1]:80\nAccept: */*")
	}
	f.Add(uint8(0), uint8(0), "", "", `{"turns":[{"role":"user","text":"hi","at":"2026-01-01T00:00:00Z"}]}`, "user=bob", "Ebb-User: bob")
	f.Add(uint8(2), uint8(3), "", "", `{"query":"x","since":"0000-01-01T00:00:00Z"}`, "", "Ebb-User: ada\nEbb-Tenant: x")
	f.Add(uint8(len(endpoints())), uint8(0), "", "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_memory","arguments":{"query":"Noor"}}}`, "", "Accept: application/json, text/event-stream\nMcp-Protocol-Version: 2026-07-28\nMcp-Session-Id: x\nLast-Event-Id: 1")
	f.Add(uint8(255), uint8(0), "CONNECT", "//v1/../v1/profile", "", "%zz;&=", "Host: localhost:0\nConnection: Upgrade\nUpgrade: websocket")
	f.Add(uint8(255), uint8(4), "OPTIONS", "v1/memories/%2e%2e/\x00", "", "", "Authorization: Bearer \xff")
	w := newWorld(f, Options{Rate: 1 << 20, Reflects: true})
	_, err := w.ext.Remember(f.Context(), extension.Scope{User: "bob"}, "My sister Noor lives in Ghent.")
	require.NoError(f, err)
	_, err = w.ext.Remember(f.Context(), extension.Scope{User: "ada"}, "I'm allergic to cashews.")
	require.NoError(f, err)
	_, err = w.ext.Reflections().Request(f.Context(), extension.Scope{User: "bob"}, fourstores.Request{Extra: 1, ExtraReason: "in Ghent"})
	require.NoError(f, err)
	metrics, err := w.tokens.Add(Token{Name: "metrics", Metrics: true})
	require.NoError(f, err)
	var faults []error
	w.server.o.Report = func(err error) { faults = append(faults, err) }
	h := w.server.Handler()
	f.Fuzz(func(t *testing.T, route, who uint8, method, path, content, query, headers string) {
		if int(route) < len(all) {
			method, path = cmp.Or(method, all[route].method), strings.ReplaceAll(all[route].path, "{id}", path)
		}
		r := requestOf(method, path, query, headers, content)
		if r == nil {
			return
		}
		token := []string{w.adaHost, w.adaClient, w.service, metrics, ""}[who%5]
		if r.Header.Get("Authorization") == "" && token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if r.Header.Get("Accept") == "" {
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
		if token == w.service && r.Header.Get(userHeader) == "" {
			r.Header.Set(userHeader, "ada")
		}
		if token == w.service && r.Header.Get(userHeader) == "bob" {
			return // it may act for bob
		}
		out := httptest.NewRecorder()
		h.ServeHTTP(out, r.WithContext(t.Context()))
		answered := out.Body.String()
		require.Less(t, out.Code, 500, "%s %s: %v %s", method, path, faults, answered)
		require.Empty(t, faults)
		if sent := path + content + query + headers; !strings.Contains(sent, "Ghent") {
			require.NotContains(t, answered, "Ghent")
		}
		if token == "" || token == metrics {
			require.NotContains(t, answered, "cashews")
		}
		if strings.HasPrefix(path, "/v1") && out.Header().Get("Content-Type") == "application/json" {
			require.True(t, json.Valid(out.Body.Bytes()))
		}
		for _, values := range out.Header() {
			for _, value := range values {
				require.True(t, httpguts.ValidHeaderFieldValue(value))
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
