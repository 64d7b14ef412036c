package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// pipes is a listener whose connections hold nothing that was not read yet.
type pipes struct {
	made   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// overPipe serves one connection of the server's own kind and returns its other end.
func (w *world) overPipe(wrap func(net.Conn) net.Conn) (client net.Conn) {
	w.t.Helper()
	l := &pipes{made: make(chan net.Conn), closed: make(chan struct{})}
	s := w.server.httpServer(w.server.Handler())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	client, there := net.Pipe()
	l.made <- wrap(there)
	w.t.Cleanup(func() {
		_ = client.Close() // the server may have closed it
		require.NoError(w.t, s.Close())
		require.ErrorIs(w.t, <-ended, http.ErrServerClosed)
	})
	return client
}

// A client that reads nothing of its export does not hold the memory's snapshot.
func TestAClientThatReadsNothingIsGivenUp(t *testing.T) {
	w := newWorld(t, Options{})
	w.server.patience = 50 * time.Millisecond
	reported := make(chan error, 1)
	w.server.o.Report = func(err error) { reported <- err }
	for i := range 30 {
		_, err := w.ext.Remember(t.Context(), extension.Scope{User: "ada"}, fmt.Sprintf("I keep thing number %d in a place that takes %s to tell.", i, strings.Repeat("very ", 60)+"long"))
		require.NoError(t, err)
	}
	client := w.overPipe(func(c net.Conn) net.Conn { return c })
	_, err := fmt.Fprintf(client, "GET /v1/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", w.adaHost)
	require.NoError(t, err)
	require.ErrorIs(t, <-reported, os.ErrDeadlineExceeded)
}

// watched notes which limits its server sets.
type watched struct {
	net.Conn

	mu  sync.Mutex
	did []string
}

func (c *watched) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, what)
}

func (c *watched) SetReadDeadline(t time.Time) error {
	c.note(fmt.Sprint("reading bounded: ", !t.IsZero()))
	return c.Conn.SetReadDeadline(t)
}

func (c *watched) Write(p []byte) (int, error) {
	c.note("answer")
	return c.Conn.Write(p)
}

// A night may take longer than a request may take to arrive.
func TestALongNightIsNotCutOff(t *testing.T) {
	w := newWorld(t, Options{})
	for _, request := range []string{
		"POST /v1/nights HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"dry_run\":true}",
		"GET /v1/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
	} {
		conn := &watched{}
		client := w.overPipe(func(c net.Conn) net.Conn { conn.Conn = c; return conn })
		go func() { _, _ = fmt.Fprintf(client, request, w.adaHost) }()
		_, err := client.Read(make([]byte, 1))
		require.NoError(t, err)
		conn.mu.Lock()
		did := slices.Clone(conn.did)
		conn.mu.Unlock()
		answered := slices.Index(did, "answer")
		require.Contains(t, did[:answered], "reading bounded: true", "the request must arrive in time")
		require.Equal(t, "reading bounded: false", did[answered-1], "the night need not end in that time")
		require.NoError(t, client.Close())
	}
}

// Who may read the counts of the whole file learns what other users do.
func TestMetricsAreNotForAUser(t *testing.T) {
	w := newWorld(t, Options{})
	made, err := w.tokens.Add(Token{Name: "prometheus", Metrics: true})
	require.NoError(t, err)
	for token, want := range map[string]int{w.adaHost: 403, w.adaClient: 403, w.service: 200, made: 200} {
		status, content := w.do(w.request(token, "GET", "/metrics", ""))
		require.Equal(t, want, status, content)
		require.Equal(t, want == 200, strings.Contains(content, "ebb_quarantined"))
	}
	for _, e := range append(endpoints(), endpoint{method: "POST", path: "/mcp"}) {
		for _, headers := range [][]string{nil, {userHeader, "ada"}} {
			status, content := w.do(w.request(made, e.method, strings.ReplaceAll(e.path, "{id}", unknownID), "{}", headers...))
			require.Equal(t, 403, status, "%s %s: %s", e.method, e.path, content)
		}
	}
	for name, bad := range map[string]Token{
		"of a user": {Name: "x", Metrics: true, User: "ada"}, "of a service": {Name: "x", Metrics: true, Service: true}, "of a host": {Name: "x", Metrics: true, Host: true},
	} {
		_, err := w.tokens.Add(bad)
		require.Error(t, err, name)
	}
}

// Anybody may ask for /healthz, so it must cost the same however many users there are.
func TestHealthzReadsLittle(t *testing.T) {
	w := newWorld(t, Options{})
	h := w.server.Handler()
	ask := func() {
		out := httptest.NewRecorder()
		h.ServeHTTP(out, httptest.NewRequest("GET", "http://localhost/healthz", nil).WithContext(t.Context()))
		require.Equal(t, 200, out.Code)
	}
	few := testing.AllocsPerRun(5, ask)
	require.NoError(t, w.ext.Parts().DB.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for i := range 1000 {
			if _, err := tx.UserID(ctx, extension.Scope{User: fmt.Sprint("user ", i)}); err != nil {
				return err
			}
		}
		return nil
	}))
	require.Less(t, testing.AllocsPerRun(5, ask), 2*few+100)
}

// Monitoring must see a memory that lost data or refuses writes.
func TestMonitoringSeesLossesAndFaults(t *testing.T) {
	pgtest.FileOnly(t, "its faults and losses")
	scrape := func(w *world) string {
		status, content := w.do(w.request(w.service, "GET", "/metrics", ""))
		require.Equal(t, 200, status)
		return content
	}
	w := newWorld(t, Options{})
	w.ask(200, "", "GET", "/healthz", nil)
	content := scrape(w)
	require.Contains(t, content, "ebb_healthy 1\n")
	require.Contains(t, content, "ebb_losses 0\n")
	require.NoError(t, os.Rename(w.ext.Parts().DB.Path(), w.ext.Parts().DB.Path()+".away"))
	require.Eventually(t, func() bool { // the file is looked for after writes; the background's may succeed meanwhile
		status, _ := w.do(w.request(w.adaHost, "POST", "/v1/turns", `{"turns": [{"role": "user", "text": "I like pears."}]}`))
		well, _ := w.do(w.request("", "GET", "/healthz", ""))
		return status == 500 && well == 503 && strings.Contains(scrape(w), "ebb_healthy 0\n")
	}, 20*time.Second, 10*time.Millisecond, "the state of the file is kept for a minute, but not its faults")
	require.NoError(t, os.Rename(w.ext.Parts().DB.Path()+".away", w.ext.Parts().DB.Path()))
	require.Eventually(t, func() bool { // each fault ends when its work succeeds
		_, _ = w.do(w.request(w.adaHost, "POST", "/v1/turns", `{"turns": [{"role": "user", "text": "I like pears."}]}`))
		status, _ := w.do(w.request("", "GET", "/healthz", ""))
		return status == 200 && strings.Contains(scrape(w), "ebb_healthy 1\n")
	}, 20*time.Second, 10*time.Millisecond)

	w = newWorld(t, Options{})
	require.NoError(t, w.ext.Parts().DB.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO losses (noticed_at, marked_at, gone) VALUES (1, 1, '{"memories": {"after": 2, "through": 9}}')`)
		return err
	}))
	content = scrape(w)
	require.Contains(t, content, "ebb_healthy 0\n")
	require.Contains(t, content, "ebb_losses 1\n")
	w.ask(200, "", "GET", "/healthz", nil)
}

// A consumer of another program that never comes back is not the memory's backlog.
func TestBacklogIsOfTheMemoryAlone(t *testing.T) {
	w := newWorld(t, Options{})
	ledger, err := w.ext.Bus().Subscribe(t.Context(), "ledger", func(context.Context, eventbus.Event) error { return nil })
	require.NoError(t, err)
	require.NoError(t, ledger.Close(t.Context()))
	w.ask(200, w.adaHost, "POST", "/v1/turns", dict{"turns": []any{dict{"role": "user", "text": "I like pears."}}})
	require.NoError(t, w.ext.WaitIdle(t.Context()))
	health, err := w.ext.Health(t.Context())
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(health.Consumers, func(c eventbus.ConsumerStats) bool { return c.Name == "ledger" && c.Lag > 0 }))
	_, content := w.do(w.request(w.service, "GET", "/metrics", ""))
	require.Contains(t, content, "ebb_backlog 0\n")
}

// A broken upload is the client's fault: the operator hears nothing of it.
func TestBrokenUploads(t *testing.T) {
	for name, c := range map[string]struct {
		timeout time.Duration
		body    string
		want    string
	}{
		"a malformed chunk": {time.Minute, "Transfer-Encoding: chunked\r\n\r\nZZZ\r\n", "HTTP/1.1 400 "},
		"a body that ends":  {time.Minute, "Content-Length: 1000\r\n\r\n{\"turns\":", "HTTP/1.1 400 "},
		"a stalled body":    {time.Second, "Content-Length: 1000\r\n\r\n{\"turns\":", "HTTP/1.1 408 "},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Options{Timeout: c.timeout, Report: func(err error) { t.Error(err) }})
			served := w.server.httpServer(w.server.Handler())
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- served.Serve(l) }()
			client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
			require.NoError(t, err)
			_, err = io.WriteString(client, "POST /v1/turns HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+w.adaHost+"\r\nContent-Type: application/json\r\n"+c.body)
			require.NoError(t, err)
			if c.timeout == time.Minute {
				require.NoError(t, client.(*net.TCPConn).CloseWrite())
			}
			require.NoError(t, client.SetReadDeadline(time.Now().Add(20*time.Second)))
			answered, err := io.ReadAll(client) // the server ends the connection
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(answered), c.want), "%s", answered)
			require.NotContains(t, string(answered), "operator")
			require.NoError(t, client.Close())
			require.NoError(t, served.Close())
			require.ErrorIs(t, <-ended, http.ErrServerClosed)
		})
	}
}

// The counts tell apart who ended a response.
func TestCodesOfRequestsThatEndEarly(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panics":
			panic(http.ErrAbortHandler)
		case "/cut":
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		case "/left":
			leave()
			w.WriteHeader(503)
		default:
			_, _ = io.WriteString(w, "whole")
		}
	})
	for path, want := range map[string]string{"/panics": "500", "/cut": "500", "/left": "499", "/unread": "499", "/": "200"} {
		t.Run(path, func(t *testing.T) {
			w := newWorld(t, Options{Page: page})
			ctx := t.Context()
			if path == "/left" {
				ctx = gone
			}
			func() {
				defer func() { _ = recover() }() // package http does
				var out http.ResponseWriter = httptest.NewRecorder()
				if path == "/unread" {
					out = unread{out}
				}
				w.server.Handler().ServeHTTP(out, httptest.NewRequest("GET", "http://localhost"+path, nil).WithContext(ctx))
			}()
			_, content := w.do(w.request(w.service, "GET", "/metrics", ""))
			require.Regexp(t, `ebb_request_seconds_count\{route="/",code="`+want+`"\} 1`, content)
			require.Equal(t, 1, strings.Count(content, `_count{route="/"`))
		})
	}
}

// A client that reads slowly has the time of one piece for each piece of a long response.
func TestEachPieceOfAResponseHasItsTime(t *testing.T) {
	for size, pieces := range map[int]int{0: 1, 1: 1, pieceBytes: 1, pieceBytes + 1: 2, 20*pieceBytes - 1: 20} {
		out := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		n, err := (&statusWriter{ResponseWriter: out, patience: time.Minute}).Write(make([]byte, size))
		require.NoError(t, err)
		require.Equal(t, size, n)
		require.Equal(t, size, out.Body.Len())
		require.Equal(t, pieces, out.set)
	}
}

type deadlines struct {
	*httptest.ResponseRecorder

	set int
}

// SetWriteDeadline is what http.ResponseController calls.
func (d *deadlines) SetWriteDeadline(time.Time) error { d.set++; return nil }

func TestAFullDiskIsToldApart(t *testing.T) {
	var told []error
	w := newWorld(t, Options{Report: func(err error) { told = append(told, err) }})
	out := httptest.NewRecorder()
	w.server.errorOf(out, fmt.Errorf("commit: %w", extension.ErrDiskFull))
	require.Equal(t, 507, out.Code)
	require.Contains(t, out.Body.String(), "nothing was stored")
	require.Len(t, told, 1)
}

// An error about a time names the field, and which message it is of.
func TestWrongTimesAreNamed(t *testing.T) {
	w := newWorld(t, Options{})
	good, bad := `{"role": "user", "text": "x", "at": "2026-11-30T10:00:00Z"}`, `{"role": "user", "text": "x", "at": "2026-11-30"}`
	for _, c := range []struct{ path, body, field string }{
		{"/v1/turns", `{"turns": [` + bad + `]}`, "turns[0].at"},
		{"/v1/turns", `{"turns": [` + good + "," + good + "," + bad + `]}`, "turns[2].at"},
		{"/v1/search", `{"query": "x", "since": "2026-11-30T10:00:00Z", "until": "yesterday"}`, "until"},
		{"/v1/search", `{"query": "x", "known_at": ""}`, "known_at"},
	} {
		status, content := w.do(w.request(w.adaHost, "POST", c.path, c.body))
		require.Equal(t, 400, status)
		require.Contains(t, content, `"field":"`+c.field+`"`)
		require.Contains(t, content, "must be a time")
		require.NotContains(t, content, "yesterday")
	}
}

// unread is a response whose client is gone.
type unread struct{ http.ResponseWriter }

func (unread) Write([]byte) (int, error) { return 0, net.ErrClosed }

// A page behind a proxy that adds TLS sends its forms from https.
func TestThePageBehindAProxyWithTLS(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") })
	w := newWorld(t, Options{Hosts: []string{"memory.example"}, Page: page})
	for origin, want := range map[string]int{"https://memory.example": 200, "http://memory.example": 200, "https://evil.example": 403, "https://memory.example:1": 403, "null": 403} {
		r := w.request("", "POST", "/u/me/do", "", "Origin", origin)
		r.Host = "memory.example"
		status, _ := w.do(r)
		require.Equal(t, want, status, origin)
	}
}

// Two programs that change the tokens at once lose no change: a revoked token must not
// come back.
func TestTokensAreChangedByTwoAtOnce(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	var all sync.WaitGroup
	for i := range 4 {
		own := TokensOf(db) // as in a process of its own
		all.Go(func() {
			for n := range 10 {
				name := fmt.Sprint(i, " ", n)
				if _, err := own.Add(Token{Name: name, User: "ada"}); err != nil {
					t.Error(err)
				}
				if n%2 == 0 {
					if err := own.Revoke(name); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	left, err := TokensOf(db).List()
	require.NoError(t, err)
	require.Len(t, left, 20)
}

func TestAReplacedTokenFileIsReadAgain(t *testing.T) {
	tokens := TokensOf(filepath.Join(t.TempDir(), "memory.db"))
	before, err := tokens.Add(Token{Name: "a", User: "ada"})
	require.NoError(t, err)
	_, known, err := tokens.Find(before)
	require.NoError(t, err)
	require.True(t, known)
	info, err := os.Stat(tokens.path)
	require.NoError(t, err)
	other := TokensOf(strings.TrimSuffix(tokens.path, ".tokens"))
	require.NoError(t, other.Revoke("a"))
	after, err := other.Add(Token{Name: "a", User: "ada"})
	require.NoError(t, err)
	require.NoError(t, os.Chtimes(tokens.path, info.ModTime(), info.ModTime())) // a coarse clock
	_, known, err = tokens.Find(before)
	require.NoError(t, err)
	require.False(t, known, "it is revoked")
	_, known, err = tokens.Find(after)
	require.NoError(t, err)
	require.True(t, known)
}

// A file of tokens that belongs to another user of the machine grants no access.
func TestTokensOfAnotherUserAreRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	tokens := TokensOf(filepath.Join(t.TempDir(), "memory.db"))
	made, err := tokens.Add(Token{Name: "a", User: "ada"})
	require.NoError(t, err)
	require.NoError(t, os.Chown(tokens.path, 12345, -1))
	_, known, err := TokensOf(strings.TrimSuffix(tokens.path, ".tokens")).Find(made)
	require.ErrorContains(t, err, "belongs to another user; give it to")
	require.False(t, known)
}

// A changed token file is a new file, so the example mounts its folder.
func TestTheFleetMountsTheFolderOfTokens(t *testing.T) {
	raw, err := os.ReadFile("../../docs/postgres/compose.yaml")
	require.NoError(t, err)
	file := regexp.MustCompile(`EBB_TOKENS: (\S+)`).FindSubmatch(raw)
	require.Len(t, file, 2)
	require.Contains(t, string(raw), ":"+path.Dir(string(file[1]))+":ro\n")
}

// More connections than allowed wait until one is closed.
func TestConnectionsAreLimited(t *testing.T) {
	w := newWorld(t, Options{MaxConnections: 1})
	l := &pipes{made: make(chan net.Conn), closed: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(ctx, l) }()
	first, there := net.Pipe()
	l.made <- there
	_, err := fmt.Fprint(first, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	_, err = first.Read(make([]byte, 1<<10))
	require.NoError(t, err)
	second, there := net.Pipe()
	select {
	case l.made <- there:
		require.Fail(t, "a second connection was accepted")
	case <-time.After(50 * time.Millisecond):
	}
	require.NoError(t, first.Close())
	l.made <- there
	require.NoError(t, second.Close())
	stop()
	require.NoError(t, <-ended)
}

// The index of the only user is read before the first question.
func TestTheIndexIsReadAtTheStart(t *testing.T) {
	w := newWorld(t, Options{Ready: func(string) error { return nil }})
	_, err := w.ext.Remember(t.Context(), extension.Scope{User: "ada"}, "I keep bees.")
	require.NoError(t, err)
	w.ext.Parts().Searcher.Forget(1)
	require.Zero(t, w.ext.Parts().Searcher.Remembered())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.ListenAndServe(ctx, "127.0.0.1:0") }()
	require.Eventually(t, func() bool { return w.ext.Parts().Searcher.Remembered() > 0 }, 20*time.Second, time.Millisecond)
	stop()
	require.NoError(t, <-ended)
}

// A second server of the same file, and one at a taken address, say so.
func TestASecondServer(t *testing.T) {
	w := newWorld(t, Options{})
	ready := make(chan string, 1)
	w.server.o.DB, w.server.o.Ready = w.ext.Parts().DB.Path(), func(url string) error { ready <- url; return nil }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.ListenAndServe(ctx, "127.0.0.1:0") }()
	url := <-ready
	second, err := New(w.ext, w.tokens, Options{DB: w.server.o.DB})
	require.NoError(t, err)
	require.ErrorContains(t, second.ListenAndServe(ctx, "127.0.0.1:0"), "another ebb serve already serves "+w.server.o.DB)
	require.ErrorContains(t, second.ListenAndServe(ctx, strings.TrimPrefix(url, "http://")), "another program listens on")
	stop()
	require.NoError(t, <-ended)

	// One that has ended keeps no other out.
	third, err := New(w.ext, w.tokens, Options{DB: w.server.o.DB, Ready: func(string) error { return io.EOF }})
	require.NoError(t, err)
	require.ErrorIs(t, third.ListenAndServe(t.Context(), "127.0.0.1:0"), io.EOF)
}
