package inspector

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// How long a link and a session last, and the most sessions there are.
const (
	linkLasts    = 10 * time.Minute
	sessionLasts = 12 * time.Hour
	maxSessions  = 32
)

const cookieName = "ebb_page"

// errForged means that a form does not carry the token of its session.
var errForged = errors.New("the form does not carry the token of this session")

// gate lets in who has a link.
type gate struct {
	mu       sync.Mutex
	link     [sha256.Size]byte // of the one link that is left
	until    time.Time         // zero: none is left
	sessions map[[sha256.Size]byte]*session
}

// session is a browser that has come in.
type session struct {
	csrf  string
	until time.Time

	mu   sync.Mutex
	done *done
}

// done is what the last change did, to be shown once.
type done struct {
	Text string
	Run  string   // takes it back; "" when it cannot be
	Kept []string // what an undo left
}

func newGate() gate { return gate{sessions: make(map[[sha256.Size]byte]*session)} }

// Link makes the path of a link that opens the page once. A link that was made
// before no longer does.
func (p *Page) Link() string {
	key := rand.Text()
	p.gate.mu.Lock()
	defer p.gate.mu.Unlock()
	p.gate.link, p.gate.until = sha256.Sum256([]byte(key)), time.Now().Add(linkLasts)
	return "/enter?key=" + key
}

// open takes a link's key and returns the cookie of a new session, "" for a key
// that opens nothing.
func (d *gate) open(key string, now time.Time) (cookie string) {
	sum := sha256.Sum256([]byte(key))
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.After(d.until) || subtle.ConstantTimeCompare(sum[:], d.link[:]) != 1 {
		return ""
	}
	d.until = time.Time{}
	var oldest [sha256.Size]byte
	for id, s := range d.sessions {
		if now.After(s.until) {
			delete(d.sessions, id)
		} else if o := d.sessions[oldest]; o == nil || s.until.Before(o.until) {
			oldest = id
		}
	}
	if len(d.sessions) >= maxSessions {
		delete(d.sessions, oldest)
	}
	cookie = rand.Text()
	d.sessions[sha256.Sum256([]byte(cookie))] = &session{csrf: rand.Text(), until: now.Add(sessionLasts)}
	return cookie
}

// session is that of a request; nil for none.
func (d *gate) session(r *http.Request, now time.Time) *session {
	for _, c := range r.CookiesNamed(cookieName) {
		d.mu.Lock()
		s := d.sessions[sha256.Sum256([]byte(c.Value))]
		d.mu.Unlock()
		if s != nil && now.Before(s.until) {
			return s
		}
	}
	return nil
}

// linkLeft reports whether a link waits to be used.
func (d *gate) linkLeft(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return now.Before(d.until)
}

func (s *session) show(d *done) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = d
}

// take returns what the last change did, once.
func (s *session) take() *done {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.done
	s.done = nil
	return d
}

// carries reports whether a form has the session's token.
func (s *session) carries(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.csrf)) == 1
}

// enter exchanges a link for a cookie.
func (p *Page) enter(w http.ResponseWriter, hr *http.Request) {
	if hr.Method != http.MethodGet { // HEAD: a program that looks at links does not use them up
		return
	}
	cookie := p.gate.open(hr.URL.Query().Get("key"), time.Now())
	if cookie == "" {
		p.outside(w, &request{Page: p, Request: hr, ctx: hr.Context()})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: cookie, Path: "/", MaxAge: int(sessionLasts / time.Second), HttpOnly: true,
		Secure: hr.TLS != nil || strings.EqualFold(hr.Header.Get("X-Forwarded-Proto"), "https"), SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, hr, "/", http.StatusSeeOther)
}

// outside says how to come in. A new link is announced if none is left.
func (p *Page) outside(w http.ResponseWriter, r *request) {
	if !p.gate.linkLeft(time.Now()) {
		p.o.Announce(p.Link())
	}
	p.show(w, r, answer{page: "outside", title: "Open the link", status: http.StatusUnauthorized})
}
