package inspector

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a page over a new memory, as ebb serves it.
type world struct {
	t    testing.TB
	ext  *extension.Extension
	page *Page
	http *httptest.Server
	web  *http.Client // with the cookie
	said []string     // links that were announced
}

var ada = extension.Scope{User: "ada", Session: "monday"}

func newWorld(t testing.TB, o Options, night ...func(*extension.Config)) *world {
	t.Helper()
	cfg := &extension.Config{Night: extension.NightConfig{NoSchedule: true}}
	for _, set := range night {
		set(cfg)
	}
	db := filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(t.Context(), db, cfg)
	require.NoError(t, err)
	w := &world{t: t, ext: x}
	o.Location = time.UTC
	o.Announce = func(link string) { w.said = append(w.said, link) }
	o.Report = func(err error) { t.Error(err) }
	w.page, err = New(x, o)
	require.NoError(t, err)
	w.page.patience = time.Minute
	s, err := server.New(x, server.TokensOf(db), server.Options{Page: w.page.Handler()})
	require.NoError(t, err)
	w.http = httptest.NewServer(s.Handler())
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	w.web = &http.Client{Jar: jar, Transport: w.http.Client().Transport}
	t.Cleanup(func() {
		w.http.Client().CloseIdleConnections()
		w.http.Close()
		require.NoError(t, x.Close(context.WithoutCancel(t.Context())))
	})
	return w
}

// say publishes what a user says and waits until it is understood.
func (w *world) say(scope extension.Scope, texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		require.NoError(w.t, w.ext.Bus().Publish(w.t.Context(), eventbus.UserMessage(scope, text)))
	}
	require.NoError(w.t, w.ext.WaitIdle(w.t.Context()))
}

// enter opens the page with a new link.
func (w *world) enter() *world {
	w.t.Helper()
	status, content := w.get(w.page.Link())
	require.Equal(w.t, 200, status, content)
	return w
}

func (w *world) get(path string) (status int, content string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.http.URL+path, nil)
	require.NoError(w.t, err)
	return w.do(r)
}

func (w *world) do(r *http.Request) (status int, content string) {
	w.t.Helper()
	resp, err := w.web.Do(r)
	require.NoError(w.t, err)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	require.NoError(w.t, resp.Body.Close())
	return resp.StatusCode, string(raw)
}

var csrfShape = regexp.MustCompile(`name="csrf" value="([A-Z2-7]+)"`)

// csrf is the token of this session's forms, read from a page that has one.
func (w *world) csrf(page string) string {
	w.t.Helper()
	found := csrfShape.FindStringSubmatch(page)
	require.NotNil(w.t, found, "the page has no form")
	return found[1]
}

// post sends a form; headers are pairs.
func (w *world) post(path string, form url.Values, headers ...string) (status int, content string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.http.URL+path, strings.NewReader(form.Encode()))
	require.NoError(w.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return w.do(r)
}

// contextOf keeps tests that take one short.
type contextOf = context.Context

// message is the newest message of ada's.
func (w *world) message() extension.Record {
	w.t.Helper()
	all, err := w.ext.Timeline(w.t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindEpisode}, Limit: 1})
	require.NoError(w.t, err)
	return all[0]
}

// withBack is a request whose form goes back to an address.
func (r *request) withBack(to string) *http.Request {
	return &http.Request{Method: http.MethodPost, PostForm: url.Values{"back": {to}}, Form: url.Values{}}
}
