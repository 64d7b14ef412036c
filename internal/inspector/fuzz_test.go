package inspector

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// Whatever a browser with a session asks and sends: no fault, no markup of a text, and
// nothing of another user.
func FuzzPage(f *testing.F) {
	w := newWorld(f, Options{Scope: ada, Write: true})
	bob := extension.Scope{User: "bob"}
	for _, text := range hostile {
		require.NoError(f, w.ext.Bus().Publish(f.Context(), eventbus.UserMessage(ada, text, eventbus.Speaker(`<img src=x onerror=1>`), eventbus.Tags(`<script>`))))
	}
	w.say(ada, "I'm allergic to cashews.", "Dana \u202elikes\u202c the sea \x1b[31mred.", strings.Repeat("w", 3000)+" is a word.")
	w.say(bob, "My sister Noor lives in Ghent.")
	theirs := w.of(bob, "Noor").UID
	own := w.fact("allergic").UID
	runs, err := w.ext.Runs(f.Context(), ada, 1)
	require.NoError(f, err)
	theirRuns, err := w.ext.Runs(f.Context(), bob, 1)
	require.NoError(f, err)
	paths := []string{"ask", "profile", "timeline", "entities", "entities/{id}", "memories/{id}", "nights", "nights/{id}", "decide", "health", "do"}
	for i := range paths {
		for _, id := range []string{own, theirs, runs[0].UID, theirRuns[0].UID, "x"} {
			f.Add(uint8(i), id, "q=Noor&why="+id+"&missing=Ghent&asof=2026-01-01&day=2026-02&name=n&session=monday", "action=correct&id="+id+"&text=x&reason=y&memory="+theirs+"&back=/u/me/decide")
		}
	}
	for _, action := range []string{"protect", "unprotect", "forget", "release", "approve", "keep", "reject", "grant", "refuse", "raise", "undo"} {
		f.Add(uint8(len(paths)-1), "", "", "action="+action+"&id="+theirs+"&id=%00&reason=%ff")
	}
	f.Add(uint8(2), "", "day=9999-12&session=%00", "")
	f.Add(uint8(7), "06a209\x00\x00-fa5c", "", "")
	f.Add(uint8(0), "", "q=%ff%00&asof=0001-01-01", "")
	cookie := w.page.gate.open(strings.TrimPrefix(w.page.Link(), "/enter?key="), time.Now())
	csrf := ""
	for _, s := range w.page.gate.sessions {
		csrf = s.csrf
	}
	var faults []error
	w.page.o.Report = func(err error) { faults = append(faults, err) }
	h := w.page.Handler()
	f.Fuzz(func(t *testing.T, path uint8, id, query, form string) {
		p := "/u/me/" + strings.ReplaceAll(paths[int(path)%len(paths)], "{id}", id)
		r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
		if strings.HasSuffix(p, "/do") {
			if strings.Contains(form, "dry") {
				return // a copy of the file for each takes too long
			}
			r = httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader("csrf="+csrf+"&"+form))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		r = r.WithContext(t.Context())
		r.URL = &url.URL{Path: p, RawQuery: query}
		r.AddCookie(&http.Cookie{Name: cookieName, Value: cookie})
		out := httptest.NewRecorder()
		h.ServeHTTP(out, r)
		require.Less(t, out.Code, 500, "%s: %v %s", p, faults, out.Body)
		require.Empty(t, faults)
		require.Empty(t, alive(out.Body.String()))
		if !strings.Contains(p+query+form, "Ghent") && !strings.Contains(p+query+form, "%") {
			require.NotContains(t, out.Body.String(), "Ghent")
		}
	})
}
