package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"
)

// Server answers /chat/completions and /embeddings.
type Server struct {
	*httptest.Server

	mu        sync.Mutex
	rules     []*Rule
	requests  []Request
	unmatched []Request
	embed     func(text string) []float32
	embedded  int
}

// New starts a server that is closed with the test. The test fails if a
// request was not matched by any rule.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat/completions", s.chat)
	mux.HandleFunc("POST /embeddings", s.embeddings)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		for _, r := range s.Unmatched() {
			t.Errorf("no rule matched this request:\n%s", r.Prompt())
		}
	})
	return s
}

// Request is one chat request as the client sent it.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

// Message is one message of a request.
type Message struct {
	Role       string `json:"role"`
	Content    text   `json:"content"`
	ToolCallID string `json:"tool_call_id"`
}

// text reads a content that is a string or a list of parts.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += text(p.Text)
	}
	return nil
}

// Prompt is the whole request as text: a line for the role, then the content.
func (r Request) Prompt() string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "[%s]\n%s\n", m.Role, m.Content)
	}
	return b.String()
}

// Last is the content of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return string(r.Messages[len(r.Messages)-1].Content)
}

// Requests are all chat requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Unmatched are the requests no rule matched.
func (s *Server) Unmatched() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.unmatched...)
}

// Embedded counts the texts that were embedded.
func (s *Server) Embedded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.embedded
}

// Embed sets the function behind /embeddings.
func (s *Server) Embed(f func(text string) []float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.embed = f
}

// LLM is langchaingo's OpenAI client for this server.
func (s *Server) LLM(t testing.TB, opts ...openai.Option) *openai.LLM {
	t.Helper()
	llm, err := openai.New(append([]openai.Option{
		openai.WithBaseURL(s.URL), openai.WithToken("test"), openai.WithModel("scripted"), openai.WithHTTPClient(s.Client()),
		openai.WithEmbeddingModel("scripted-embedding"),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return llm
}

// Embedder is langchaingo's embedder over the same client.
func (s *Server) Embedder(t testing.TB) embeddings.Embedder {
	t.Helper()
	e, err := embeddings.NewEmbedder(s.LLM(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var req Request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply := s.match(req)
	if reply == nil {
		writeError(w, http.StatusInternalServerError, "no rule matches this request")
		return
	}
	if req.Stream {
		w = streaming{w}
	}
	reply(w, r)
}

// streaming marks a response that the client wants as server-sent events.
type streaming struct{ http.ResponseWriter }

func (s *Server) match(req Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	for _, rule := range s.rules {
		if (rule.left < 0 || rule.left > 0) && rule.matches(req) {
			if rule.left > 0 {
				rule.left--
			}
			return rule.reply
		}
	}
	s.unmatched = append(s.unmatched, req)
	return nil
}

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Input []string `json:"input"`
		Model string   `json:"model"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	embed := s.embed
	s.embedded += len(req.Input)
	s.mu.Unlock()
	if embed == nil {
		writeError(w, http.StatusInternalServerError, "no embedding function was set")
		return
	}
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := make([]datum, len(req.Input))
	for i, in := range req.Input {
		data[i] = datum{i, embed(in)}
	}
	writeJSON(w, map[string]any{"object": "list", "model": req.Model, "data": data})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) //nolint:errchkjson // who has hung up reads no reply
}

func writeError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "test"}}) //nolint:errchkjson // as above
}

// hangFor bounds a reply that never comes, so that a test that forgets its
// deadline ends all the same.
const hangFor = 30 * time.Second
