package inspector

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

//go:embed all:web
var web embed.FS

// Options says who may see what. The zero value shows all users of the file and
// changes nothing.
type Options struct {
	// Scope is whose memory is shown. Without a user, it is of every user of the
	// tenant, or with neither of the file; one is chosen on the page.
	Scope extension.Scope
	// Write offers corrections and decisions. The memory must be open for writing.
	Write bool
	// Reflects offers decisions about reflections: the profile has the blocks that an
	// approved one is recorded in.
	Reflects bool
	// Retention is that of the memory's configuration, for its curve. Default nil:
	// [retention.Default].
	Retention extension.RetentionPolicy
	// Location is the time zone of what is shown. Default time.Local.
	Location *time.Location
	// Announce, if set, is given a new link when somebody opens the page without a
	// cookie and no link is left.
	Announce func(path string)
	// Report, if set, receives faults that the page does not describe.
	Report func(err error)
}

// Page is the inspector of one memory. The caller opens and closes the memory.
type Page struct {
	ext   *extension.Extension
	o     Options
	gate  gate
	pages map[string]*template.Template

	mu      sync.Mutex
	reports map[extension.Scope]*report // of health

	patience time.Duration // how long a view of health waits for its report
	takes    time.Duration // the most time of a page, except of a dry run
	tried    int           // the most changes of a run whose undoing is tried for its page
}

// New makes the page.
func New(ext *extension.Extension, o Options) (*Page, error) {
	o.Location = cmp.Or(o.Location, time.Local)
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Announce == nil {
		o.Announce = func(string) {}
	}
	p := &Page{ext: ext, o: o, gate: newGate(), pages: make(map[string]*template.Template), reports: make(map[extension.Scope]*report), patience: 50 * time.Millisecond, takes: 30 * time.Second, tried: 500}
	files, err := web.ReadDir("web")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		name, isPage := strings.CutSuffix(f.Name(), ".html")
		if !isPage || strings.HasPrefix(name, "_") {
			continue
		}
		t, err := template.New("_layout.html").Funcs(p.functions()).ParseFS(web, "web/_*.html", "web/"+f.Name())
		if err != nil {
			return nil, err
		}
		p.pages[name] = t
	}
	return p, nil
}

// policy is the content security policy: no script, no inline style, nothing of
// another site, in no frame.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler answers the requests for the page. It must stand behind a check of Host
// and Origin, at the root.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /enter", p.enter)
	mux.HandleFunc("GET /page.css", asset("page.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /icon.svg", asset("icon.svg", "image/svg+xml"))
	mux.HandleFunc("GET /{$}", p.inside(p.users))
	for path, serve := range map[string]func(*request) (answer, error){
		"ask": ask, "profile": profile, "timeline": timeline, "entities": entities, "entities/{id}": entity,
		"memories/{id}": oneMemory, "nights": nights, "nights/{id}": night, "decide": decide, "health": health,
	} {
		mux.HandleFunc("GET /u/{who}/"+path, p.inside(p.of(serve)))
	}
	mux.HandleFunc("POST /u/{who}/do", p.inside(p.of(change)))
	mux.HandleFunc("/", p.inside(func(*request) (answer, error) { return answer{}, extension.ErrNotFound }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func asset(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		raw, err := web.ReadFile("web/" + name)
		if err != nil { // it is embedded
			panic(err)
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(raw) // a browser that went away reads nothing
	}
}

// request is a request of somebody who has come in.
type request struct {
	*Page
	*http.Request

	w       http.ResponseWriter
	ctx     context.Context // ends after Page.takes
	session *session
	scope   extension.Scope // of the user who is looked at
	who     string          // that user in a path
	userID  int64           // 0: nothing is known of them
}

// answer is what is shown: a page with its data, or the address of one.
type answer struct {
	page, title string
	data        any
	redirect    string
	status      int // default 200
}

// frame is what every page knows, around its data.
type frame struct {
	Page, Title string
	Data        any

	Base    string // path of the user's pages, "" without one
	User    string
	Tenant  string
	Many    bool // several users can be chosen
	Write   bool
	CSRF    string
	Here    string // the address of this page, for forms that come back to it
	Waiting int
	Done    *done
	Now     time.Time
}

// of finds the user that a path names.
func (p *Page) of(serve func(*request) (answer, error)) func(*request) (answer, error) {
	return func(r *request) (answer, error) {
		r.who = r.PathValue("who")
		if p.o.Scope.User != "" {
			if r.who != "me" {
				return answer{}, extension.ErrNotFound
			}
			r.scope = p.o.Scope
			err := p.read(r, func(s *schema.Snapshot) (err error) {
				r.userID, err = s.UserID(r.ctx, r.scope)
				return err
			})
			if err != nil {
				return answer{}, err
			}
			return serve(r)
		}
		id, err := strconv.ParseInt(r.who, 10, 64)
		if err != nil {
			return answer{}, extension.ErrNotFound
		}
		err = p.read(r, func(s *schema.Snapshot) error {
			u, err := s.UserByID(r.ctx, id)
			if err == nil && (u.Name == "" || p.o.Scope.Tenant != "" && u.Tenant != p.o.Scope.Tenant) {
				err = extension.ErrNotFound
			}
			if err == nil {
				r.scope, r.userID = u.Scope(), u.ID
			}
			return err
		})
		if err != nil {
			return answer{}, err
		}
		return serve(r)
	}
}

// read reads from one snapshot of the memory.
func (p *Page) read(r *request, fn func(*schema.Snapshot) error) error {
	return p.ext.Parts().DB.Read(r.ctx, func(_ context.Context, s *schema.Snapshot) error { return fn(s) })
}

func (r *request) now() time.Time { return r.ext.Parts().Now().In(r.o.Location) }

// base is the path of the user's pages.
func (r *request) base() string { return "/u/" + r.who }

// people is the page on which a user is chosen.
type people struct {
	Users []person
	Name  string
	More  bool
}

type person struct {
	Name, Tenant, Path string
	Since              time.Time
}

// maxPeople is the most users that are listed.
const maxPeople = 200

// users shows the users to choose from, or goes on to the only one.
func (p *Page) users(r *request) (answer, error) {
	if p.o.Scope.User != "" {
		return answer{redirect: "/u/me/ask"}, nil
	}
	v := people{Name: strings.TrimSpace(r.FormValue("name"))}
	var found []schema.User
	err := p.ext.Parts().DB.Read(r.ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		found, err = s.UsersNamed(ctx, p.o.Scope.Tenant, v.Name, maxPeople+1)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if v.More = len(found) > maxPeople; v.More {
		found = found[:maxPeople]
	}
	for _, u := range found {
		v.Users = append(v.Users, person{u.Name, u.Tenant, "/u/" + strconv.FormatInt(u.ID, 10), u.CreatedAt.Time})
	}
	if v.Name == "" && len(v.Users) == 1 {
		return answer{redirect: v.Users[0].Path + "/ask"}, nil
	}
	return answer{page: "users", title: "Whose memory?", data: v}, nil
}

// inside answers those who have a session.
func (p *Page) inside(serve func(*request) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		ctx, cancel := context.WithTimeout(hr.Context(), p.takes)
		defer cancel()
		r := &request{Page: p, Request: hr, w: w, ctx: ctx}
		if r.session = p.gate.session(hr, time.Now()); r.session == nil {
			p.outside(w, r)
			return
		}
		a, err := serve(r)
		switch {
		case err != nil:
			p.failed(w, r, err)
		case a.redirect != "":
			http.Redirect(w, hr, a.redirect, http.StatusSeeOther)
		default:
			p.show(w, r, a)
		}
	}
}

// show writes a page.
func (p *Page) show(w http.ResponseWriter, r *request, a answer) {
	f := frame{
		Page: a.page, Title: a.title, Data: a.data, User: r.scope.User, Tenant: r.scope.Tenant,
		Many: p.o.Scope.User == "" && r.session != nil, Write: p.o.Write, Here: r.URL.RequestURI(), Now: r.now(),
	}
	if r.session != nil {
		f.CSRF = r.session.csrf
		f.Done = r.session.take()
	}
	if r.scope.User != "" {
		f.Base = r.base()
		if err := p.read(r, func(s *schema.Snapshot) (err error) {
			f.Waiting, err = inspect.Waiting(r.ctx, s, r.userID)
			return err
		}); err != nil {
			p.o.Report(err)
		}
	}
	var page bytes.Buffer
	if err := p.pages[a.page].Execute(&page, f); err != nil {
		p.o.Report(err)
		http.Error(w, "the page cannot be written; the operator was notified", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(max(a.status, http.StatusOK))
	_, _ = w.Write(page.Bytes()) // a browser that went away reads nothing
}

// trouble is the page of an error.
type trouble struct{ What, Advice string }

// failed shows an error.
func (p *Page) failed(w http.ResponseWriter, r *request, err error) {
	var invalid *extension.InvalidError
	a := answer{page: "trouble", title: "This did not work"}
	switch {
	case errors.Is(err, extension.ErrNotFound):
		a.status, a.title, a.data = http.StatusNotFound, "Not found", trouble{"There is no such page or record.", "It may be another user's, or erased."}
	case errors.Is(err, errForged):
		a.status, a.data = http.StatusForbidden, trouble{"The form is not of this session.", "Go back, load the page again and repeat the change. Nothing was changed."}
	case errors.Is(err, extension.ErrReadOnly):
		a.status, a.data = http.StatusForbidden, trouble{"This page is for looking only.", "Start it with --write to change something."}
	case errors.As(err, &invalid):
		a.status, a.data = http.StatusBadRequest, trouble{strings.ToUpper(invalid.Field[:min(1, len(invalid.Field))]) + invalid.Field[min(1, len(invalid.Field)):] + " " + invalid.Reason + ".", "Nothing was changed."}
	case errors.Is(err, extension.ErrConflict):
		a.status, a.data = http.StatusConflict, trouble{"It has changed since you looked: " + err.Error() + ".", "Load the page again to see what holds now."}
	case errors.Is(err, extension.ErrBusy), errors.Is(err, extension.ErrClosed), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		a.status, a.data = http.StatusServiceUnavailable, trouble{"The memory did not answer in time.", "Try again."}
	default:
		p.o.Report(err)
		a.status, a.data = http.StatusInternalServerError, trouble{"The memory failed.", "What happened was printed where ebb runs."}
	}
	p.show(w, r, a)
}

// link is a path with a query.
func link(path string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
