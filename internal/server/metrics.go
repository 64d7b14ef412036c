package server

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbmem/ebb/internal/memory"
)

// metrics counts requests by route and status code. No label contains a user or a
// token.
type metrics struct {
	mu       sync.Mutex
	requests map[requestKey]*requestCount
}

type requestKey struct {
	route string
	code  int
}

type requestCount struct {
	n       int64
	seconds float64
	within  [len(buckets)]int64
}

// buckets are the upper bounds of the latency histogram, in seconds.
var buckets = [...]float64{.001, .005, .01, .05, .1, .5, 1, 5, 30}

func (m *metrics) add(route string, code int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.requests[requestKey{route, code}]
	if c == nil {
		c = new(requestCount)
		m.requests[requestKey{route, code}] = c
	}
	c.n++
	c.seconds += took.Seconds()
	for i, bound := range buckets {
		if took.Seconds() <= bound {
			c.within[i]++
		}
	}
}

// statusWriter records the status code of a response, and limits how long a client may
// take to read each part of it.
type statusWriter struct {
	http.ResponseWriter

	status   int
	cut      bool // a write failed
	patience time.Duration
}

// pieceBytes is how much a client may take statusWriter.patience to read.
const pieceBytes = 64 << 10

// Write implements io.Writer. A client that reads nothing would otherwise hold the
// snapshot of its export, and the log of the file could not be truncated. The limit is one of each
// piece: a slow client that goes on reading gets a long response whole.
func (w *statusWriter) Write(p []byte) (n int, err error) {
	for first := true; first || len(p) > 0 && err == nil; first = false {
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.patience)) // a recorder of tests has none
		var wrote int
		wrote, err = w.ResponseWriter.Write(p[:min(len(p), pieceBytes)])
		n, p = n+wrote, p[wrote:]
	}
	w.cut = w.cut || err != nil
	return n, err
}

// unhurried reads the rest of a request, and ends the limits of time of its connection:
// what follows may take long. Each write has a limit of its own.
func unhurried(w http.ResponseWriter, r *http.Request) error {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return &uploadError{err} // the limits stay, or the rest of the body could be waited for without end
	}
	c := http.NewResponseController(w)
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}) // a recorder of tests has none
	return nil
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// statusClosed is counted for a request whose client left, or read too slowly, before it had the
// whole response. No client gets it.
const statusClosed = 499

// counted counts the requests of a mux by route pattern, which contains no ids. A panic counts as
// 500, also if it cut a response.
func (s *Server) counted(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, route := mux.Handler(r)
		route = cmp.Or(route, "unknown")
		out, start := &statusWriter{ResponseWriter: w, patience: s.patience}, time.Now()
		defer func() {
			failed := recover()
			switch {
			case out.cut || r.Context().Err() != nil:
				out.status = statusClosed
			case failed != nil:
				out.status = http.StatusInternalServerError
			default:
				out.status = cmp.Or(out.status, http.StatusOK)
			}
			s.metrics.add(route, out.status, time.Since(start))
			if failed != nil {
				panic(failed)
			}
		}()
		mux.ServeHTTP(out, r)
	})
}

// healthAge is how long the state of the file is kept: reading it touches every memory,
// and several programs may scrape every few seconds.
const healthAge = time.Minute

// serveMetrics writes the request counts and the state of the memory file in the
// Prometheus text format.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	health, err := s.health.Read(r.Context(), healthAge, s.ext.Health)
	if err != nil {
		s.errorOf(w, err)
		return
	}
	var b strings.Builder
	gauge := func(name, help string, v any) {
		fmt.Fprintf(&b, "# HELP ebb_%s %s\n# TYPE ebb_%s gauge\nebb_%s %v\n", name, help, name, name, v)
	}
	healthy := 0
	if health.Healthy() && len(s.ext.Parts().DB.Faults()) == 0 { // faults are read each time
		healthy = 1
	}
	gauge("healthy", "1 if nothing failed, was given up or lost, 0 if something needs the operator (ebb stats, ebb doctor).", healthy)
	gauge("losses", "Losses of data that the file had when it was opened and that are not acknowledged (ebb doctor).", len(health.Losses))
	gauge("file_bytes", "Size of the memory file.", health.FileBytes)
	gauge("wal_bytes", "Size of its write-ahead log.", health.WALBytes)
	gauge("nights_overdue", "Local days that no night has consolidated.", health.NightsOverdue)
	gauge("quarantined", "Memories that wait for release.", health.Quarantined)
	gauge("failures", "Kinds of failures that are not overcome.", len(health.Failures))
	var parked int64
	for _, c := range health.Consumers {
		parked += int64(c.Parked)
	}
	gauge("backlog", "Events that the memory's background work has not handled.", memory.Backlog(health.Consumers))
	gauge("parked", "Events that a consumer has given up.", parked)
	s.metrics.write(&b)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = w.Write([]byte(b.String())) // fails only if the client has disconnected
}

func (m *metrics) write(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(m.requests), func(a, b requestKey) int { return cmp.Or(strings.Compare(a.route, b.route), a.code-b.code) })
	b.WriteString("# HELP ebb_request_seconds Time of requests.\n# TYPE ebb_request_seconds histogram\n")
	for _, k := range keys {
		c := m.requests[k]
		labels := fmt.Sprintf("route=%q,code=\"%d\"", k.route, k.code)
		for i, bound := range buckets {
			fmt.Fprintf(b, "ebb_request_seconds_bucket{%s,le=\"%g\"} %d\n", labels, bound, c.within[i])
		}
		fmt.Fprintf(b, "ebb_request_seconds_bucket{%s,le=\"+Inf\"} %d\n", labels, c.n)
		fmt.Fprintf(b, "ebb_request_seconds_sum{%s} %g\nebb_request_seconds_count{%s} %d\n", labels, c.seconds, labels, c.n)
	}
}
