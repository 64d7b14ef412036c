package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/maphash"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/link"
	"github.com/ebbmem/ebb/internal/mcpserver"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// Options are the limits of a server. The zero value has the defaults.
type Options struct {
	Version string
	// Hosts are the host names that requests may use in addition to loopback
	// addresses and the address that is listened on. A scheme, a port and a path are
	// ignored. Requests with any other Host header are refused. Default none.
	Hosts []string
	// MaxBody is the longest body of a request, in bytes. Default 1 MiB.
	MaxBody int64
	// Rate is the maximum number of requests per second of one token, and Burst the
	// number allowed at once. Default 50, and twice Rate.
	Rate, Burst int
	// Timeout limits the duration of a request, and how long a client may take to send
	// it. Default 30 s. Nights and exports may take longer.
	Timeout time.Duration
	// MaxConnections is the maximum number of open connections; more wait. Default
	// 1,024.
	MaxConnections int
	// Page, if set, handles all other paths, such as the inspector's. It authenticates
	// its requests and limits their duration itself.
	Page http.Handler
	// Reflects offers reflections: the profile has the blocks that an approved one is
	// recorded in.
	Reflects bool
	// Report, if set, receives errors of which the response contains no details.
	Report func(err error)
	// CertFile and KeyFile are a certificate and its key in PEM. Default none: plain
	// HTTP.
	CertFile, KeyFile string
	// DB is the path of the memory file, and Key its key. If DB is set, [Server.Serve]
	// lets ebb mcp on this machine find the server.
	DB  string
	Key schema.Key
	// Ready, if set, is called with the URL of a server that answers. Its error ends
	// the server.
	Ready func(url string) error
}

// Server serves one memory file over HTTP. The caller opens and closes the file.
type Server struct {
	ext    *extension.Extension
	tokens *Tokens
	o      Options

	failures *rate.Limiter // requests without a valid token
	patience time.Duration // with a client that does not read its response
	metrics  metrics
	health   memory.Recent[extension.Health]

	ids  [64]sync.Mutex // by hash of the user, while the ids of messages are compared and stored
	seed maphash.Seed

	mu            sync.Mutex
	limiters      *lru.Cache[string, *rate.Limiter]
	conversations *lru.Cache[conversationKey, *mcpserver.Conversation]
}

// maxKept is the maximum number of rate limiters, and of conversations, in memory.
const maxKept = 4096

// New returns a server for the memory of ext.
func New(ext *extension.Extension, tokens *Tokens, o Options) (*Server, error) {
	o.MaxBody = cmp.Or(o.MaxBody, 1<<20)
	o.Rate = cmp.Or(o.Rate, 50)
	o.Burst = cmp.Or(o.Burst, 2*o.Rate)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.MaxConnections = cmp.Or(o.MaxConnections, 1024)
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Ready == nil {
		o.Ready = func(string) error { return nil }
	}
	o.Hosts = slices.Clone(o.Hosts)
	for i, host := range o.Hosts {
		if _, after, found := strings.Cut(host, "://"); found {
			host = after
		}
		host, _, _ = strings.Cut(host, "/")
		o.Hosts[i] = hostName(host)
	}
	o.Hosts = slices.DeleteFunc(o.Hosts, func(host string) bool { return host == "" })
	limiters, err := lru.New[string, *rate.Limiter](maxKept)
	if err != nil {
		return nil, err
	}
	conversations, err := lru.New[conversationKey, *mcpserver.Conversation](maxKept)
	if err != nil {
		return nil, err
	}
	return &Server{
		ext: ext, tokens: tokens, o: o, failures: rate.NewLimiter(2, 5), patience: 30 * time.Second, limiters: limiters, conversations: conversations,
		seed: maphash.MakeSeed(), metrics: metrics{requests: make(map[requestKey]*requestCount)},
	}, nil
}

// CheckAddress returns an error for a listen address other than loopback, unless public
// is set. The error names the flag --listen.
func CheckAddress(address string, public bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("--listen must be an address such as 127.0.0.1:7411")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !public {
		return errors.New("--listen " + address + " can be reached by others, and nothing is encrypted; give --tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy with TLS, or add --insecure")
	}
	return nil
}

const openAPIPath = "/v1/openapi.json"

// Handler returns the handler of all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.Handle("GET /metrics", s.admitted(http.HandlerFunc(s.serveMetrics), wholeFile))
	mux.Handle("/mcp", s.authenticated(s.mcpHandler()))
	methods := map[string][]string{openAPIPath: {http.MethodGet}}
	for _, e := range endpoints() {
		mux.Handle(e.method+" "+e.path, s.authenticated(e.handler(s)))
		methods[e.path] = append(methods[e.path], e.method)
	}
	mux.Handle("GET "+openAPIPath, s.authenticated(http.HandlerFunc(s.serveOpenAPI)))
	for path, allowed := range methods {
		mux.Handle(path, s.authenticated(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, http.StatusMethodNotAllowed, "method", "this route takes "+strings.Join(allowed, " and "))
		})))
	}
	mux.Handle("/v1/", s.authenticated(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "route", "there is no such route; "+openAPIPath+" lists all of them")
	})))
	if s.o.Page != nil {
		mux.Handle("/", s.o.Page)
	}
	return s.guarded(s.counted(mux))
}

// guarded refuses requests of foreign web pages by their Host and Origin headers, and
// limits the size of the body.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case !s.serves(r.Host):
			fail(w, http.StatusForbidden, "host", "this server does not answer for that host; ebb serve --host NAME names another one")
		case len(r.Header.Values("Origin")) > 0 && !s.sameOrigin(r):
			fail(w, http.StatusForbidden, "origin", "pages of other sites may not ask")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, s.o.MaxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// serves reports whether a Host header names this server: localhost, a loopback
// address, or one of Options.Hosts. Another name that resolves to a loopback address
// is refused, as a defence against DNS rebinding.
func (s *Server) serves(host string) bool {
	name := hostName(host)
	return isLoopback(name) || slices.Contains(s.o.Hosts, name)
}

// hostName returns the name in a Host header, without the port.
func hostName(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback() || name == "localhost"
}

// sameOrigin reports whether a request comes from a page of this server. Under a host of
// Options.Hosts, a proxy may add TLS.
func (s *Server) sameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) != 1 {
		return false
	}
	if r.TLS == nil && strings.EqualFold(origins[0], "http://"+r.Host) {
		return true
	}
	return (r.TLS != nil || !isLoopback(hostName(r.Host))) && strings.EqualFold(origins[0], "https://"+r.Host)
}

// healthz reports whether the memory answers and its disk works. It needs no token, so it
// reveals nothing else, and reads one row.
func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	err := s.ext.Parts().DB.Read(ctx, func(ctx context.Context, snapshot *schema.Snapshot) error {
		if _, err := snapshot.UserByID(ctx, 1); !errors.Is(err, schema.ErrNotFound) {
			return err
		}
		return nil
	})
	if err != nil {
		s.o.Report(err)
		fail(w, http.StatusServiceUnavailable, "unavailable", "the memory does not answer")
		return
	}
	if len(s.ext.Parts().DB.Faults()) > 0 { // which are reported when they occur
		fail(w, http.StatusServiceUnavailable, "fault", "the disk or the file of the memory fails; writes may be refused")
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ListenAndServe calls [Server.Serve] with a listener on a TCP address.
func (s *Server) ListenAndServe(ctx context.Context, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s, perhaps another ebb serve: stop it, or choose another address with --listen", address)
	}
	if err != nil {
		return err
	}
	return s.Serve(ctx, l)
}

// Serve serves requests on a listener until ctx is done, and then shuts down
// gracefully. It returns an error if another server has announced itself for
// Options.DB and answers.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.o.DB != "" {
		if other, err := link.Find(s.o.DB); err == nil && other != nil && other.Answers(ctx) {
			return errors.Join(fmt.Errorf("another ebb serve already serves %s: stop it first, or let its clients use that one", s.o.DB), l.Close())
		}
	}
	url := "http://" + s.reachedAt(l.Addr())
	l = netutil.LimitListener(l, s.o.MaxConnections)
	public := s.httpServer(s.Handler())
	serve := func() error { return public.Serve(l) }
	if s.o.CertFile != "" {
		url = "https" + strings.TrimPrefix(url, "http")
		serve = func() error { return public.ServeTLS(l, s.o.CertFile, s.o.KeyFile) }
	}
	ended := make(chan error, 2)
	go func() { ended <- serve() }()
	servers := []*http.Server{public}
	if local := s.listenLocally(ctx); local != nil {
		beside := s.httpServer(s.localHandler(local.Certificate))
		servers = append(servers, beside)
		go func() { ended <- beside.Serve(local) }()
	}
	warmed := make(chan struct{})
	defer func() { <-warmed }()
	warming, cool := context.WithCancel(ctx)
	defer cool()
	go func() {
		defer close(warmed)
		s.warm(warming)
	}()
	err, left := s.o.Ready(url), len(servers)
	if err == nil {
		select {
		case err = <-ended:
			left--
		case <-ctx.Done():
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	for _, h := range servers {
		if stopped := h.Shutdown(grace); stopped != nil {
			err = errors.Join(err, stopped, h.Close())
		}
	}
	for range left {
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
	}
	return err
}

// reachedAt returns a host and port under which requests to a listener are answered: the
// first of Options.Hosts for one that is not on loopback. Without Options.Hosts, its own
// address becomes one of them: DNS rebinding needs a name.
func (s *Server) reachedAt(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return addr.String()
	}
	host := tcp.IP.String()
	switch {
	case tcp.IP.IsLoopback():
	case len(s.o.Hosts) > 0:
		host = s.o.Hosts[0]
	case tcp.IP.IsUnspecified():
		host = "localhost"
	default:
		s.o.Hosts = []string{host}
	}
	return net.JoinHostPort(host, strconv.Itoa(tcp.Port))
}

// warm reads the index of a file's only user, so that the first question need not wait
// for it: with 100,000 messages that takes some tenths of a second. With several users,
// each index is read when its user asks.
func (s *Server) warm(ctx context.Context) {
	users, err := schema.Get(ctx, s.ext.Parts().DB, func(ctx context.Context, snapshot *schema.Snapshot) ([]schema.User, error) {
		return snapshot.UsersNamed(ctx, "", "", 2)
	})
	if err == nil && len(users) == 1 {
		_, err = s.ext.Recall(ctx, users[0].Scope(), extension.Query{Text: "index", Limit: 1})
	}
	if err != nil && ctx.Err() == nil {
		s.o.Report(err)
	}
}

// CheckTLS returns an error for a certificate and key that cannot be used. Both may
// be "".
func CheckTLS(certFile, keyFile string) error {
	if (certFile == "") != (keyFile == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	if certFile == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(certFile, keyFile)
	return err
}

// httpServer is a server with the limits of time of a connection.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: min(5*time.Second, s.o.Timeout), ReadTimeout: s.o.Timeout, WriteTimeout: 2*s.o.Timeout + s.patience, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: log.New(faults(s.o.Report), "", 0),
	}
}

// faults reports what package http logs, without the handshakes that clients break
// off.
type faults func(err error)

// Write implements io.Writer.
func (report faults) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("TLS handshake error")) {
		report(errors.New(string(bytes.TrimSpace(line))))
	}
	return len(line), nil
}
