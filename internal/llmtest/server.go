package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/llms/openai"
)

// Server is a scripted model. It is safe for concurrent use.
type Server struct {
	*httptest.Server

	cancel context.CancelFunc // of the running replies

	mu       sync.Mutex
	rules    []*Rule
	requests []Request
	problems []string
}

// New starts a server that is closed at the end of the test. The test fails if a
// request matched no rule or was not well-formed.
func New(t testing.TB) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{cancel: cancel}
	mux := http.NewServeMux()
	for _, base := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+base+"/chat/completions", s.chat)
		mux.HandleFunc("GET "+base+"/models", models)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.problem("nothing is served at " + r.Method + " " + r.URL.Path)
		writeError(w, http.StatusNotFound, "no such path")
	})
	s.Server = httptest.NewUnstartedServer(mux)
	s.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.Start()
	t.Cleanup(func() {
		s.Close()
		s.mu.Lock()
		problems := s.problems
		s.mu.Unlock()
		for _, p := range problems {
			t.Errorf("llmtest: %s", p)
		}
	})
	return s
}

// Close cancels the running replies and stops the server. It may be called more
// than once; the end of the test calls it.
func (s *Server) Close() {
	s.cancel()
	s.Server.Close()
}

// Requests returns all chat requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// LLM returns langchaingo's OpenAI client for this server.
func (s *Server) LLM(t testing.TB, opts ...openai.Option) *openai.LLM {
	t.Helper()
	llm, err := openai.New(append([]openai.Option{
		openai.WithBaseURL(s.URL + "/v1"), openai.WithToken("test"), openai.WithModel(model), openai.WithHTTPClient(s.Client()),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return llm
}

const model = "scripted"

func models(w http.ResponseWriter, _ *http.Request) {
	setContentType(w, false)
	list := []any{map[string]string{"id": model, "object": "model"}}
	_, _ = w.Write([]byte(Encode(map[string]any{"object": "list", "data": list})))
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	// net/http detects a disconnected client only after the body was read.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client hung up
	}
	var req Request
	if err := json.Unmarshal(body, &req); err != nil {
		s.refuse(w, "this chat request is not one: "+err.Error())
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	rules := slices.Clone(s.rules)
	s.mu.Unlock()
	if fault := req.fault(); fault != "" {
		s.refuse(w, fault+"\n"+req.Prompt())
		return
	}
	for _, rule := range rules {
		if rule.matches(req) && rule.take() {
			rule.reply(w, r, req)
			return
		}
	}
	s.problem(mismatch(req, rules))
	writeError(w, http.StatusInternalServerError, "no rule matches this request")
}

// mismatch describes a request and the rules that did not match it.
func mismatch(req Request, rules []*Rule) string {
	var b strings.Builder
	b.WriteString("no rule matched this request:\n")
	for line := range strings.Lines(req.Prompt()) {
		b.WriteString("  + " + line)
	}
	for _, t := range req.Tools {
		fmt.Fprintf(&b, "  + (tool %s)\n", t.Function.Name)
	}
	b.WriteString("rules, in order:\n")
	for _, rule := range rules {
		b.WriteString("  - " + rule.String() + "\n")
	}
	if len(rules) == 0 {
		b.WriteString("  - (none)\n")
	}
	return b.String()
}

// refuse answers a malformed request.
func (s *Server) refuse(w http.ResponseWriter, fault string) {
	s.problem("refused: " + fault)
	writeError(w, http.StatusBadRequest, fault)
}

// problem records a failure that the test reports at its end.
func (s *Server) problem(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, text)
}
