package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Rule answers the requests it matches.
type Rule struct {
	matches func(Request) bool
	reply   Reply
	left    int // -1 = any number of times
}

// Times lets the rule answer n times and then no more.
func (r *Rule) Times(n int) { r.left = n }

// On adds a rule after those there are.
func (s *Server) On(matches func(Request) bool, reply Reply) *Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	rule := &Rule{matches, reply, -1}
	s.rules = append(s.rules, rule)
	return rule
}

// Any matches every request.
func Any(Request) bool { return true }

// Contains matches a request that holds all the texts anywhere.
func Contains(texts ...string) func(Request) bool {
	return func(r Request) bool {
		prompt := r.Prompt()
		for _, t := range texts {
			if !strings.Contains(prompt, t) {
				return false
			}
		}
		return true
	}
}

// LastContains matches a request whose last message holds the text.
func LastContains(text string) func(Request) bool {
	return func(r Request) bool { return strings.Contains(r.Last(), text) }
}

// Reply writes an answer.
type Reply func(w http.ResponseWriter, r *http.Request)

// Text answers with a message.
func Text(content string) Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeCompletion(w, map[string]any{"role": "assistant", "content": content}, "stop")
	}
}

// ToolCall answers with the call of a tool; arguments are encoded as JSON.
func ToolCall(id, name string, arguments any) Reply {
	encoded, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		writeCompletion(w, map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
			"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": string(encoded)},
		}}}, "tool_calls")
	}
}

// Status answers with an HTTP error.
func Status(code int, message string) Reply {
	return func(w http.ResponseWriter, _ *http.Request) { writeError(w, code, message) }
}

// Raw answers with a body as it is, well-formed or not.
func Raw(body string) Reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

// Hang never answers: it waits until the client gives up.
func Hang() Reply {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(hangFor):
		}
	}
}

func writeCompletion(w http.ResponseWriter, message map[string]any, finish string) {
	body := func(object, part string) map[string]any {
		return map[string]any{
			"id": "completion", "object": object, "model": "scripted",
			"choices": []any{map[string]any{"index": 0, "finish_reason": finish, part: message}},
			"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
		}
	}
	if _, ok := w.(streaming); !ok {
		writeJSON(w, body("chat.completion", "message"))
		return
	}
	chunk, err := json.Marshal(body("chat.completion.chunk", "delta"))
	if err != nil {
		panic(err) // made of what was decoded or written here
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write([]byte("data: " + string(chunk) + "\n\ndata: [DONE]\n\n"))
}
