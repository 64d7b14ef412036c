package inspector

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

func TestALinkOpensOnce(t *testing.T) {
	w := newWorld(t, Options{Scope: ada})
	w.say(ada, "I'm allergic to cashews.")
	link := w.page.Link()
	status, content := w.get("/u/me/ask")
	require.Equal(t, 401, status)
	require.Contains(t, content, "Open the link")
	require.NotContains(t, content, "ada")
	require.Empty(t, w.said, "a link is left")
	status, _ = w.get("/enter?key=" + strings.Repeat("A", 26))
	require.Equal(t, 401, status)
	head, err := http.NewRequestWithContext(t.Context(), http.MethodHead, w.http.URL+link, nil)
	require.NoError(t, err)
	_, _ = w.do(head) // a program that looks at links does not use it up
	status, content = w.get(link)
	require.Equal(t, 200, status)
	require.Contains(t, content, "What would the agent remember")

	w.web.Jar = nil
	status, _ = w.get(link)
	require.Equal(t, 401, status, "it was used")
	require.Len(t, w.said, 1, "another one is announced")
	for range 3 {
		status, _ = w.get("/u/me/profile")
		require.Equal(t, 401, status)
	}
	require.Len(t, w.said, 1, "and no more while it is left")
}

func TestLinksAndSessionsExpire(t *testing.T) {
	p := &Page{gate: newGate()}
	key := strings.TrimPrefix(p.Link(), "/enter?key=")
	require.Empty(t, p.gate.open(key, time.Now().Add(linkLasts+time.Second)))
	cookie := p.gate.open(key, time.Now())
	require.NotEmpty(t, cookie)
	require.Empty(t, p.gate.open(key, time.Now()))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", nil)
	require.NoError(t, err)
	r.AddCookie(&http.Cookie{Name: cookieName, Value: cookie})
	require.NotNil(t, p.gate.session(r, time.Now()))
	require.Nil(t, p.gate.session(r, time.Now().Add(sessionLasts+time.Second)))
	for range maxSessions + 3 {
		require.NotEmpty(t, p.gate.open(strings.TrimPrefix(p.Link(), "/enter?key="), time.Now()))
	}
	require.Len(t, p.gate.sessions, maxSessions)
	require.Nil(t, p.gate.session(r, time.Now()), "the oldest has left")
}

// The cookie is for this site alone and no script reads it; no page may be framed,
// or load anything of another site.
func TestWhatABrowserIsTold(t *testing.T) {
	w := newWorld(t, Options{Scope: ada})
	w.web.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, path := range []string{w.page.Link(), "/", "/u/me/ask", "/page.css", "/icon.svg", "/nothing"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.http.URL+path, nil)
		require.NoError(t, err)
		resp, err := w.web.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, policy, resp.Header.Get("Content-Security-Policy"), path)
		require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
		for _, c := range resp.Cookies() {
			require.True(t, c.HttpOnly)
			require.Equal(t, http.SameSiteStrictMode, c.SameSite)
		}
		if strings.HasPrefix(path, "/enter") {
			require.Len(t, resp.Cookies(), 1)
		}
	}
}

func TestOtherHostsAndOriginsAreRefused(t *testing.T) {
	w := newWorld(t, Options{Scope: ada, Write: true}).enter()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.http.URL+"/u/me/ask", nil)
	require.NoError(t, err)
	r.Host = "evil.example"
	status, _ := w.do(r)
	require.Equal(t, 403, status)
	status, _ = w.post("/u/me/do", url.Values{}, "Origin", "http://evil.example")
	require.Equal(t, 403, status)
}

func TestAnotherUsersRecordsAreNotFound(t *testing.T) {
	for name, o := range map[string]Options{"of one user": {Scope: extension.Scope{User: "bob"}, Write: true}, "of all": {Write: true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, o)
			w.say(ada, "I'm allergic to cashews.", "Dana likes the sea.")
			w.say(extension.Scope{User: "bob"}, "I play chess on Sundays.")
			fact := w.fact("allergic")
			runs, err := w.ext.Runs(t.Context(), ada, 1)
			require.NoError(t, err)
			w.enter()
			base := "/u/2"
			if o.Scope.User != "" {
				base = "/u/me"
			}
			_, page := w.get(base + "/memories/" + w.of(extension.Scope{User: "bob"}, "chess").UID)
			csrf := w.csrf(page)
			for _, path := range []string{"/memories/" + fact.UID, "/ask?q=x&why=" + fact.UID, "/nights/" + runs[0].UID, "/entities/" + fact.UID, "/nothing"} {
				status, content := w.get(base + path)
				require.Equal(t, 404, status, path)
				require.NotContains(t, content, "cashews")
			}
			for _, action := range []string{"forget", "protect", "correct", "release", "approve", "reject", "keep", "raise", "undo"} {
				id := fact.UID
				if action == "undo" {
					id = runs[0].UID
				}
				status, content := w.post(base+"/do", url.Values{"csrf": {csrf}, "action": {action}, "id": {id}, "text": {"something else"}})
				require.Equal(t, 404, status, "%s: %s", action, content)
			}
			if o.Scope.User != "" {
				for _, path := range []string{"/u/1/ask", "/u/2/ask"} {
					status, _ := w.get(path)
					require.Equal(t, 404, status, path)
				}
			}
			status, _ := w.get("/u/3/ask")
			require.Equal(t, 404, status)
		})
	}
}

// A page for a tenant lists and opens the users of that tenant alone.
func TestAPageForATenant(t *testing.T) {
	w := newWorld(t, Options{Scope: extension.Scope{Tenant: "acme"}, Write: true})
	w.say(ada, "I'm allergic to cashews.")
	for _, name := range []string{"bob", "bea"} {
		w.say(extension.Scope{Tenant: "acme", User: name}, "I play chess on Sundays.")
	}
	w.enter()
	_, content := w.get("/")
	require.NotContains(t, content, "ada")
	require.NotContains(t, content, `"/u/1`)
	require.Contains(t, content, "bea")
	_, content = w.get("/u/2/memories/" + w.of(extension.Scope{Tenant: "acme", User: "bob"}, "chess").UID)
	csrf := w.csrf(content)
	_, content = w.get("/u/2/health")
	require.NotContains(t, content, "The file", "it is of other tenants too")
	for _, path := range []string{"/ask", "/profile", "/memories/" + w.fact("allergic").UID} {
		status, content := w.get("/u/1" + path)
		require.Equal(t, 404, status, path)
		require.NotContains(t, content, "cashews")
	}
	status, _ := w.post("/u/1/do", url.Values{"csrf": {csrf}, "action": {"forget"}, "id": {w.fact("allergic").UID}})
	require.Equal(t, 404, status)
}

func TestFormsNeedTheirToken(t *testing.T) {
	w := newWorld(t, Options{Scope: ada, Write: true})
	w.say(ada, "I'm allergic to cashews.")
	w.enter()
	id := w.fact("allergic").UID
	_, page := w.get("/u/me/memories/" + id)
	csrf := w.csrf(page)
	forget := url.Values{"action": {"forget"}, "id": {id}}
	for name, token := range map[string][]string{"none": nil, "wrong": {strings.Repeat("A", len(csrf))}, "empty": {""}} {
		forget["csrf"] = token
		status, _ := w.post("/u/me/do", forget)
		require.Equal(t, 403, status, name)
	}
	forget["csrf"] = []string{csrf}
	status, _ := w.post("/u/me/do", forget, "Sec-Fetch-Site", "cross-site")
	require.Equal(t, 403, status)
	status, _ = w.get("/u/me/do?" + forget.Encode())
	require.Equal(t, 404, status, "nothing is changed by a link")
	require.Equal(t, id, w.fact("allergic").UID, "it is there")
	other := newWorld(t, Options{Scope: ada, Write: true}).enter()
	status, _ = other.post("/u/me/do", forget)
	require.Equal(t, 403, status, "the token of another session")
}

func TestAPageToLookAtChangesNothing(t *testing.T) {
	w := newWorld(t, Options{Scope: ada})
	w.say(ada, "I'm allergic to cashews.")
	w.enter()
	id := w.fact("allergic").UID
	_, page := w.get("/u/me/memories/" + id)
	require.NotContains(t, page, "<form method=\"post\"")
	for _, s := range w.page.gate.sessions {
		status, _ := w.post("/u/me/do", url.Values{"csrf": {s.csrf}, "action": {"forget"}, "id": {id}})
		require.Equal(t, 403, status)
	}
	require.Equal(t, id, w.fact("allergic").UID)
}
