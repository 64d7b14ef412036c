package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Reply writes the answer to a request.
type Reply func(w http.ResponseWriter, r *http.Request, req Request)

// Text answers with a message.
func Text(content string) Reply {
	return completion{content: content, finish: "stop"}.write
}

// JSON answers with a message that is v in JSON, for a client that set a response
// format.
func JSON(v any) Reply { return Text(Encode(v)) }

// ToolCall answers with the call of a tool; arguments are encoded as JSON.
func ToolCall(id, name string, arguments any) Reply {
	call := Call{ID: id, Type: "function", Function: CallFunction{Name: name, Arguments: Encode(arguments)}}
	return completion{call: &call, finish: "tool_calls"}.write
}

// Answer lets a function of the request choose the reply.
func Answer(choose func(Request) Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, req Request) { choose(req)(w, r, req) }
}

// Status answers with an HTTP error.
func Status(code int, message string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Request) { writeError(w, code, message) }
}

// Raw answers with a body unchanged, well-formed or not.
func Raw(body string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, req Request) {
		setContentType(w, req.Stream)
		_, _ = w.Write([]byte(body))
	}
}

// Hang never answers: it waits until the client gives up or the server closes.
func Hang() Reply {
	return func(_ http.ResponseWriter, r *http.Request, _ Request) { <-r.Context().Done() }
}

// HangAfter streams the beginning of an answer and then stops.
func HangAfter(content string) Reply {
	return func(w http.ResponseWriter, r *http.Request, _ Request) {
		setContentType(w, true)
		_, _ = w.Write([]byte(event(chunk(map[string]any{"role": "assistant", "content": content}, nil))))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// completion is a well-formed answer.
type completion struct {
	content string
	call    *Call
	finish  string
}

func (c completion) write(w http.ResponseWriter, _ *http.Request, req Request) {
	setContentType(w, req.Stream)
	_, _ = w.Write([]byte(c.encode(req)))
}

// Encode returns the body of the response in the form the client asked for.
func (c completion) encode(req Request) string {
	if req.Stream {
		return c.events(req)
	}
	message := map[string]any{"role": "assistant", "content": c.content}
	if c.call != nil {
		message["content"], message["tool_calls"] = nil, []*Call{c.call}
	}
	return Encode(map[string]any{
		"id": "completion", "object": "chat.completion", "model": req.Model, "usage": c.usage(req),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": c.finish}},
	})
}

// events returns the answer as server-sent events: texts word by word, a call's
// name before its arguments, the arguments in two pieces, as OpenAI does.
func (c completion) events(req Request) string {
	var b strings.Builder
	send := func(delta map[string]any) { b.WriteString(event(chunk(delta, nil))) }
	send(map[string]any{"role": "assistant", "content": ""})
	if c.content != "" {
		for _, word := range strings.SplitAfter(c.content, " ") {
			send(map[string]any{"content": word})
		}
	}
	if c.call != nil {
		begun := Call{ID: c.call.ID, Type: c.call.Type, Function: CallFunction{Name: c.call.Function.Name}}
		send(map[string]any{"tool_calls": []Call{begun}})
		for _, part := range halves(c.call.Function.Arguments) {
			send(map[string]any{"tool_calls": []Call{{Function: CallFunction{Arguments: part}}}})
		}
	}
	b.WriteString(event(chunk(map[string]any{}, c.finish)))
	if req.StreamOptions.IncludeUsage {
		last := chunk(nil, nil)
		last["choices"], last["usage"] = []any{}, c.usage(req)
		b.WriteString(event(last))
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// usage counts words as tokens.
func (c completion) usage(req Request) map[string]int {
	out := len(strings.Fields(c.content))
	if c.call != nil {
		out += len(strings.Fields(c.call.Function.Name + " " + c.call.Function.Arguments))
	}
	in := 0
	for _, m := range req.Messages {
		in += len(strings.Fields(string(m.Content)))
	}
	return map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
}

func chunk(delta map[string]any, finish any) map[string]any {
	return map[string]any{
		"id": "completion", "object": "chat.completion.chunk", "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

func event(data any) string { return "data: " + Encode(data) + "\n\n" }

// halves cuts a JSON text in two, never inside a rune.
func halves(s string) []string {
	at := 0
	for i := range s {
		if i > len(s)/2 {
			break
		}
		at = i
	}
	if at == 0 {
		return []string{s}
	}
	return []string{s[:at], s[at:]}
}

func setContentType(w http.ResponseWriter, stream bool) {
	kind := "application/json"
	if stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
}

func writeError(w http.ResponseWriter, status int, message string) {
	setContentType(w, false)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(Encode(map[string]any{"error": map[string]any{"message": message, "type": "test"}})))
}

// Encode returns v as JSON. A value that cannot be encoded is a mistake in the
// test.
func Encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("llmtest: no JSON for %T: %v", v, err))
	}
	return string(b)
}
