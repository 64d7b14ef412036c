package server

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/extension"
)

// A page in a browser, or a name that an attacker lets resolve to loopback, gets
// nothing, with a valid token either.
func TestHostAndOriginAreChecked(t *testing.T) {
	w := newWorld(t, Options{Hosts: []string{"memory.example"}})
	own := strings.TrimPrefix(w.http.URL, "http://")
	for _, path := range []string{"/healthz", "/v1/profile", "/metrics", "/mcp"} {
		for _, host := range []string{"evil.example", "evil.example:" + strings.Split(own, ":")[1], "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "memory.example.evil.example"} {
			r := w.request(w.adaHost, "GET", path, "")
			r.Host = host
			status, content := w.do(r)
			require.Equal(t, 403, status, "%s %s", path, host)
			require.NotContains(t, content, "ada")
		}
		for _, origin := range []string{"http://evil.example", "null", "http://127.0.0.1:1", "https://" + own, "http://localhost", own, "file://"} {
			status, _ := w.do(w.request(w.adaHost, "GET", path, "", "Origin", origin))
			require.Equal(t, 403, status, "%s %s", path, origin)
		}
	}
	for _, host := range []string{own, "localhost:80", "LOCALHOST", "[::1]:8080", "127.0.0.2", "memory.example:443", "Memory.Example"} {
		r := w.request(w.adaHost, "GET", "/v1/profile", "")
		r.Host = host
		status, content := w.do(r)
		require.Equal(t, 200, status, "%s %s", host, content)
	}
	status, _ := w.do(w.request(w.adaHost, "GET", "/v1/profile", "", "Origin", w.http.URL))
	require.Equal(t, 200, status, "a page of this server")
}

// The link that a server prints is one that it answers.
func TestServersAnswerTheirOwnLink(t *testing.T) {
	all, lan := net.IPv6zero, net.IPv4(192, 168, 1, 5)
	for _, c := range []struct {
		listens net.IP
		hosts   []string
		want    string
	}{
		{net.IPv4(127, 0, 0, 1), nil, "127.0.0.1:7411"},
		{net.IPv6loopback, []string{"memory.example"}, "[::1]:7411"},
		{all, nil, "localhost:7411"},
		{all, []string{"", "memory.example", "other.example"}, "memory.example:7411"},
		{all, []string{"Memory.Example:7411"}, "memory.example:7411"},
		{all, []string{"https://memory.example./"}, "memory.example:7411"},
		{all, []string{"[fe80::1]:80"}, "[fe80::1]:7411"},
		{lan, nil, "192.168.1.5:7411"},
		{lan, []string{"memory.example"}, "memory.example:7411"},
	} {
		s, err := New(nil, nil, Options{Hosts: c.hosts})
		require.NoError(t, err)
		require.Equal(t, c.want, s.reachedAt(&net.TCPAddr{IP: c.listens, Port: 7411}), "%v %q", c.listens, c.hosts)
		require.True(t, s.serves(c.want), c.want)
		require.False(t, s.serves("192.168.1.6:7411"))
	}
}

func TestEveryRequestNeedsAToken(t *testing.T) {
	w := newWorld(t, Options{})
	for _, e := range append(endpoints(), endpoint{method: "GET", path: "/metrics"}, endpoint{method: "POST", path: "/mcp"}, endpoint{method: "GET", path: "/v1/openapi.json"}) {
		path := strings.ReplaceAll(e.path, "{id}", unknownID)
		for name, header := range map[string]string{
			"none": "", "wrong": "Bearer ebb_" + strings.Repeat("a", 52), "empty": "Bearer ", "basic": "Basic " + w.adaHost, "bare": w.adaHost,
			"shorter": "Bearer " + w.adaHost[:len(w.adaHost)-1], "hash": "Bearer " + hashOf(w.adaHost),
		} {
			r := w.request("", e.method, path, "{}")
			if header != "" {
				r.Header.Set("Authorization", header)
			}
			status, content := w.do(r)
			require.Equal(t, 401, status, "%s %s %s", name, e.method, path)
			require.NotContains(t, content, "ada")
		}
	}
	w.ask(200, "", "GET", "/healthz", nil)
	require.NoError(t, w.tokens.Revoke("ada host"))
	status, _ := w.do(w.request(w.adaHost, "GET", "/v1/profile", ""))
	require.Equal(t, 401, status, "what is revoked is refused at once")
}

func TestFailedTokensAreSlowed(t *testing.T) {
	w := newWorld(t, Options{})
	w.server.failures = rate.NewLimiter(rate.Every(time.Hour), 3)
	var codes []int
	for range 6 {
		status, _ := w.do(w.request("ebb_wrong", "GET", "/v1/profile", ""))
		codes = append(codes, status)
	}
	require.Equal(t, []int{401, 401, 401, 429, 429, 429}, codes)
	w.ask(200, w.adaHost, "GET", "/v1/profile", nil) // a valid one is not
}

func TestRequestsAreLimited(t *testing.T) {
	w := newWorld(t, Options{MaxBody: 2000, Rate: 1, Burst: 20})
	w.ask(413, w.adaHost, "POST", "/v1/search", dict{"query": strings.Repeat("x", 3000)})
	for name, r := range map[string]*http.Request{
		"no type":     w.request(w.adaHost, "POST", "/v1/search", `{"query":"x"}`, "Content-Type", ""),
		"a form":      w.request(w.adaHost, "POST", "/v1/search", `{"query":"x"}`, "Content-Type", "application/x-www-form-urlencoded"),
		"plain text":  w.request(w.adaHost, "POST", "/v1/search", `{"query":"x"}`, "Content-Type", "text/plain"),
		"json beside": w.request(w.adaHost, "POST", "/v1/search", `{"query":"x"}`, "Content-Type", "application/jsonx"),
	} {
		status, _ := w.do(r)
		require.Equal(t, 415, status, name)
	}
	for _, content := range []string{"", "{", "[]", "null {}", `{"query":"x"} {"query":"y"}`, `{"query":7}`, `{"query":"x","scope":{"user":"bob"}}`, "\x00", `{"query":"x","limit":-1}`, `{"query":"x","kinds":["soul"]}`} {
		status, answered := w.do(w.request(w.adaHost, "POST", "/v1/search", content, "Content-Type", "application/json"))
		require.Equal(t, 400, status, "%s: %s", content, answered)
	}
	status, answered := w.do(w.request(w.adaHost, "POST", "/v1/search", `{"query":"x","limit":1.5}`, "Content-Type", "application/json"))
	require.Equal(t, 400, status)
	require.Contains(t, answered, "must be a whole number")
	w.ask(400, w.bobHost, "GET", "/v1/nights?limit=", nil)
	status, answered = w.do(w.request(w.bobHost, "POST", "/v1/nights", "null"))
	require.Equal(t, 400, status, answered)
	for _, r := range []*http.Request{w.request(w.bobHost, "PUT", "/v1/search", "{}"), w.request(w.bobHost, "GET", "/v1/search", "")} {
		status, _ := w.do(r)
		require.Equal(t, 405, status)
	}
	limited := 0
	for range 40 {
		if status, _ := w.do(w.request(w.adaHost, "GET", "/v1/profile", "")); status == 429 {
			limited++
		}
	}
	require.Positive(t, limited)
	w.ask(200, w.bobHost, "GET", "/v1/profile", nil) // each token has a rate of its own
}

// A request for what is not there gets an answer in JSON, and never the
// page for people, whose announcement of a link it would set off.
func TestUnknownRoutesOfTheAPI(t *testing.T) {
	w := newWorld(t, Options{Page: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Error("the page was asked for ", r.URL) })})
	for route, want := range map[string]int{"PUT /v1/search": 405, "GET /v1/turns": 405, "POST /v1/profile": 405, "PATCH /v1/memories/x": 405, "POST /v1/openapi.json": 405, "GET /v1/nonsense": 404, "GET /v1/": 404, "POST /v1/memories": 404} {
		method, path, _ := strings.Cut(route, " ")
		status, answered := w.do(w.request(w.adaHost, method, path, "{}", "Content-Type", "application/json"))
		require.Equal(t, want, status, route)
		require.Contains(t, answered, `{"error":{"code":`, route)
		status, _ = w.do(w.request("", method, path, "{}", "Content-Type", "application/json"))
		require.Contains(t, []int{401, 429}, status, route)
	}
}

// A slow request ends, and the memory goes on.
func TestRequestsEndInTime(t *testing.T) {
	w := newWorld(t, Options{Timeout: time.Nanosecond})
	w.ask(503, w.adaHost, "POST", "/v1/search", dict{"query": "x"})
}

func TestMetricsNameNoUser(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.ask(200, w.adaHost, "POST", "/v1/facts", dict{"content": "I live in Ghent."})["memory_id"].(string)
	w.ask(200, w.adaHost, "GET", "/v1/memories/"+id, nil)
	_, _ = w.do(w.request(w.adaHost, "GET", "/secret-path-of-ada", ""))
	status, content := w.do(w.request(w.service, "GET", "/metrics", ""))
	require.Equal(t, 200, status)
	require.Contains(t, content, `ebb_request_seconds_count{route="GET /v1/memories/{id}",code="200"} 1`)
	require.Contains(t, content, `route="unknown",code="404"`)
	require.Contains(t, content, "ebb_file_bytes ")
	for _, secret := range []string{"ada", "bob", id, "Ghent"} {
		require.NotContains(t, content, secret)
	}
}

// With a certificate, nothing is answered in the clear.
func TestServeOverTLS(t *testing.T) {
	w := newWorld(t, Options{})
	issued := httptest.NewUnstartedServer(nil) // for the certificate of net/http's own tests
	issued.StartTLS()
	defer issued.Close()
	pair := issued.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	require.NoError(t, CheckTLS(certFile, keyFile))
	require.Error(t, CheckTLS(keyFile, certFile))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ready := make(chan string, 1)
	s, err := New(w.ext, w.tokens, Options{CertFile: certFile, KeyFile: keyFile, Ready: func(url string) error { ready <- url; return nil }})
	require.NoError(t, err)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	w.http.URL = <-ready
	require.True(t, strings.HasPrefix(w.http.URL, "https://"))
	client := issued.Client()
	resp, err := client.Do(w.request(w.adaHost, "GET", "/v1/profile", "", "Origin", w.http.URL))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 200, resp.StatusCode)
	w.http.URL = "http://" + l.Addr().String()
	status, _ := w.do(w.request(w.adaHost, "GET", "/v1/profile", ""))
	require.Equal(t, 400, status, "in the clear")
	client.CloseIdleConnections()
	stop()
	require.NoError(t, <-ended)
}

// A server that is asked to stop finishes what it has begun.
func TestServeStopsGracefully(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(t.Context(), db, &extension.Config{Night: extension.NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	tokens := TokensOf(db)
	token, err := tokens.Add(Token{Name: "ada", User: "ada", Host: true})
	require.NoError(t, err)
	s, err := New(x, tokens, Options{})
	require.NoError(t, err)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{}}
	var accepted sync.Map
	var sending sync.WaitGroup
	for i := range 8 {
		sending.Go(func() {
			for n := 0; ; n++ {
				text := fmt.Sprintf("Message %d of sender %d.", n, i)
				r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+l.Addr().String()+"/v1/turns", strings.NewReader(`{"turns":[{"role":"user","text":"`+text+`"}]}`))
				if err != nil {
					return
				}
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(r)
				if err != nil {
					return // the server is gone
				}
				_ = resp.Body.Close()
				if resp.StatusCode == 200 {
					accepted.Store(text, true)
				} else if resp.StatusCode != 429 {
					return
				}
				if n == 3 {
					stop()
				}
			}
		})
	}
	require.NoError(t, <-ended)
	sending.Wait()
	client.CloseIdleConnections()
	stored, err := x.Timeline(t.Context(), extension.Scope{User: "ada"}, extension.TimelineQuery{Limit: 1000})
	require.NoError(t, err)
	there := make(map[string]bool)
	for _, m := range stored {
		there[m.Content] = true
	}
	accepted.Range(func(text, _ any) bool {
		require.True(t, there[text.(string)], text)
		return true
	})
	require.NoError(t, x.Close(context.WithoutCancel(t.Context())))
}

func TestTokens(t *testing.T) {
	tokens := TokensOf(filepath.Join(t.TempDir(), "memory.db"))
	made := make(map[string]bool)
	for i := range 20 {
		token, err := tokens.Add(Token{Name: fmt.Sprint(i), User: "ada"})
		require.NoError(t, err)
		require.False(t, made[token])
		made[token] = true
		require.Len(t, token, len(prefix)+52)
	}
	raw, err := os.ReadFile(tokens.path)
	require.NoError(t, err)
	for token := range made {
		require.NotContains(t, string(raw), strings.TrimPrefix(token, prefix))
	}
	info, err := os.Stat(tokens.path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for name, bad := range map[string]Token{
		"no name": {User: "ada"}, "no user": {Name: "x"}, "twice": {Name: "1", User: "ada"}, "a service for one": {Name: "x", Service: true, User: "ada"},
		"a name with NUL": {Name: "x\x00", User: "ada"},
	} {
		_, err := tokens.Add(bad)
		require.Error(t, err, name)
	}
	require.ErrorIs(t, tokens.Revoke("none"), extension.ErrNotFound)
	require.NoError(t, tokens.Revoke("1"))
	all, err := tokens.List()
	require.NoError(t, err)
	require.Len(t, all, 19)
	require.NoError(t, os.Chmod(tokens.path, 0o644))
	_, _, err = TokensOf(strings.TrimSuffix(tokens.path, ".tokens")).Find("x")
	require.ErrorContains(t, err, "chmod 600")
}
