package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/mcpserver"
)

// Options are the limits of a server. The zero value has the defaults.
type Options struct {
	Version string
	// Hosts are the names under which the server is reached, beside loopback. Default
	// none: a request that names another host is refused.
	Hosts []string
	// MaxBody is the longest body of a request, in bytes. Default 1 MiB.
	MaxBody int64
	// Rate is how many requests of one token are answered a second, and Burst how
	// many at once. Default 50 and 100.
	Rate, Burst int
	// Timeout is how long a request may take. Default 30 s; a night has none.
	Timeout time.Duration
	// Report, if set, receives faults that an answer does not describe.
	Report func(err error)
}

// Server answers requests for one memory file. The caller opens and closes the
// file.
type Server struct {
	ext    *extension.Extension
	tokens *Tokens
	o      Options

	failures *rate.Limiter // of tokens
	metrics  metrics

	mu            sync.Mutex
	limiters      *lru.Cache[string, *rate.Limiter]
	conversations *lru.Cache[conversationKey, *mcpserver.Conversation]
}

// maxKept bounds the limiters and conversations that are kept.
const maxKept = 4096

// New makes a server.
func New(ext *extension.Extension, tokens *Tokens, o Options) (*Server, error) {
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 20
	}
	if o.Rate == 0 {
		o.Rate = 50
	}
	if o.Burst == 0 {
		o.Burst = 2 * o.Rate
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	limiters, err := lru.New[string, *rate.Limiter](maxKept)
	if err != nil {
		return nil, err
	}
	conversations, err := lru.New[conversationKey, *mcpserver.Conversation](maxKept)
	if err != nil {
		return nil, err
	}
	return &Server{
		ext: ext, tokens: tokens, o: o, failures: rate.NewLimiter(2, 5), limiters: limiters, conversations: conversations,
		metrics: metrics{requests: make(map[requestKey]*requestCount)},
	}, nil
}

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.Handle("GET /metrics", s.authenticated(http.HandlerFunc(s.serveMetrics)))
	mux.Handle("/mcp", s.authenticated(s.mcpHandler()))
	for _, e := range endpoints() {
		mux.Handle(e.method+" "+e.path, s.authenticated(e.handler(s)))
	}
	mux.Handle("GET /v1/openapi.json", s.authenticated(http.HandlerFunc(s.serveOpenAPI)))
	return s.guarded(s.counted(mux))
}

// guarded refuses requests that a page in a browser can have made, and bounds the
// body.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case !s.serves(r.Host):
			fail(w, http.StatusForbidden, "host", "this server does not answer for that host")
		case len(r.Header.Values("Origin")) > 0 && !s.sameOrigin(r):
			fail(w, http.StatusForbidden, "origin", "pages of other sites may not ask")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, s.o.MaxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// serves reports whether a Host header names this server: a loopback address, or
// one of the hosts that the operator named. A name that resolves to loopback is
// not enough.
func (s *Server) serves(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() || name == "localhost" {
		return true
	}
	return name != "" && slices.ContainsFunc(s.o.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// sameOrigin reports whether a request comes from a page of this server.
func (s *Server) sameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return len(origins) == 1 && strings.EqualFold(origins[0], scheme+r.Host)
}

// healthz answers without a token, and so tells nothing but whether the memory
// answers.
func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if _, err := s.ext.Users(ctx); err != nil {
		s.o.Report(err)
		fail(w, http.StatusServiceUnavailable, "unavailable", "the memory does not answer")
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// Serve answers on a listener until ctx ends, and then finishes what it has begun.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := h.Shutdown(grace)
	if err != nil {
		err = errors.Join(err, h.Close())
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
