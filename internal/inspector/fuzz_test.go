package inspector

import (
	"bufio"
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http/httpguts"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// Whatever a browser with or without a session asks and sends, with any method and
// headers: no fault, no markup of a text, no way to another site, and nothing of another
// user.
func FuzzPage(f *testing.F) {
	w := newWorld(f, Options{Scope: ada, Write: true, Reflects: true}, fourStores)
	bob := extension.Scope{User: "bob"}
	for _, text := range hostile {
		require.NoError(f, w.ext.Bus().Publish(f.Context(), eventbus.UserMessage(ada, text, eventbus.Speaker(`<img src=x onerror=1>`), eventbus.Tags(`<script>`))))
	}
	w.say(ada, "I'm allergic to cashews.", "Dana \u202elikes\u202c the sea \x1b[31mred.", strings.Repeat("w", 3000)+" is a word.")
	w.say(bob, "My sister Noor lives in Ghent.")
	for _, scope := range []extension.Scope{ada, bob} {
		_, err := w.ext.Reflections().Request(f.Context(), scope, fourstores.Request{Extra: 1, ExtraReason: map[string]string{"ada": "<b>much</b>", "bob": "in Ghent"}[scope.User]})
		require.NoError(f, err)
	}
	theirs := w.of(bob, "Noor").UID
	own := w.fact("allergic").UID
	runs, err := w.ext.Runs(f.Context(), ada, 1)
	require.NoError(f, err)
	theirRuns, err := w.ext.Runs(f.Context(), bob, 1)
	require.NoError(f, err)
	paths := []string{"ask", "profile", "timeline", "entities", "entities/{id}", "memories/{id}", "nights", "nights/{id}", "decide", "health", "do", "../../enter", "../../{id}"}
	const sends = 10 // index of do
	for i := range paths {
		for _, id := range []string{own, theirs, runs[0].UID, theirRuns[0].UID, "x"} {
			f.Add(uint8(i), "", id, "q=Noor&why="+id+"&missing=Ghent&asof=2026-01-01&day=2026-02&name=n&session=monday", "action=correct&id="+id+"&text=x&reason=y&memory="+theirs+"&back=/u/me/decide", "", true)
		}
		f.Add(uint8(i), "PUT", own, "key=x", "action=undo", "Content-Type: multipart/form-data; boundary=x\nSec-Fetch-Site: cross-site", false)
		f.Add(uint8(i), "HEAD", own, "", "", "Origin: http://localhost\nX-Forwarded-Proto: https\nCookie: ebb_page=x", true)
	}
	for _, action := range []string{"protect", "unprotect", "forget", "release", "approve", "keep", "reject", "raise", "raise_all", "undo", "grant_reflection", "approve_reflection", "reject_reflection"} {
		f.Add(uint8(sends), "", "", "", "action="+action+"&id="+theirs+"&listed="+theirs+"&id=%00&reason=%ff&back=//evil.example/u/me/&verdict=bonus&amount=-1", "", true)
	}
	f.Add(uint8(2), "", "", "day=9999-12&session=%00", "", "", true)
	f.Add(uint8(7), "", "06a209\x00\x00-fa5c", "", "", "", true)
	f.Add(uint8(0), "", "", "q=%ff%00&asof=0001-01-01", "", "", true)
	cookie := w.page.gate.open(strings.TrimPrefix(w.page.Link(), "/enter?key="), time.Now())
	csrf := ""
	for _, s := range w.page.gate.sessions {
		csrf = s.csrf
	}
	var faults []error
	w.page.o.Report = func(err error) { faults = append(faults, err) }
	h := w.http.Config.Handler
	f.Fuzz(func(t *testing.T, path uint8, method, id, query, form, headers string, inside bool) {
		at := int(path) % len(paths)
		p := "/u/me/" + strings.ReplaceAll(paths[at], "{id}", id)
		if outer, is := strings.CutPrefix(p, "/u/me/../../"); is {
			p = "/" + outer
		}
		if method == "" && at == sends {
			method = http.MethodPost
		}
		content := ""
		if method == http.MethodPost {
			if content = "csrf=" + csrf + "&" + form; strings.Contains(form, "dry") {
				return // a copy of the file for each takes too long
			}
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", strings.NewReader(content)).WithContext(t.Context())
		more, err := textproto.NewReader(bufio.NewReader(strings.NewReader(headers + "\r\n\r\n"))).ReadMIMEHeader()
		if method = cmp.Or(method, http.MethodGet); err != nil || !httpguts.ValidHeaderFieldName(method) {
			return
		}
		if r.URL, err = url.ParseRequestURI((&url.URL{Path: p, RawQuery: query}).String()); err != nil {
			return // package http refuses it
		}
		r.Method, r.Header = method, http.Header(more)
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		if inside {
			r.AddCookie(&http.Cookie{Name: cookieName, Value: cookie})
		}
		out := httptest.NewRecorder()
		h.ServeHTTP(out, r)
		require.Less(t, out.Code, 500, "%s: %v %s", p, faults, out.Body)
		require.Empty(t, faults)
		require.Empty(t, alive(out.Body.String()))
		if to := out.Header().Get("Location"); to != "" {
			at, err := url.Parse(to)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(at.Path, "/") && at.Host == "" && at.Scheme == "" && !strings.HasPrefix(to, "//"), to)
			require.True(t, httpguts.ValidHeaderFieldValue(to))
		}
		sent := p + query + form + headers
		if !strings.Contains(sent, "Ghent") && !strings.Contains(sent, "%") {
			require.NotContains(t, out.Body.String(), "Ghent")
		}
		if !inside {
			require.NotContains(t, out.Body.String(), "cashews")
		}
	})
}
