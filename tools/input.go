package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxInput is the maximum length of an input, in bytes.
const maxInput = 64 << 10

// wrapperField is the only parameter of every tool in langchaingo's
// OpenAI-functions agent.
const wrapperField = "__arg1"

// read parses a model's input into arguments for this tool. Its errors are
// mistakes, or a [*schema.RedactionError].
func (t *Tool) read(ctx context.Context, input string) (*arguments, error) {
	fields, err := t.fields(input)
	if err != nil {
		return nil, err
	}
	for name, value := range fields {
		if fields[name], err = t.redacted(ctx, name, value); err != nil {
			return nil, err
		}
	}
	return t.check(fields)
}

// redacted returns a field with its texts redacted, so that nothing a tool makes of
// its input contains a secret.
func (t *Tool) redacted(ctx context.Context, name string, value any) (any, error) {
	if t.deps == nil || t.deps.Redact == nil {
		return value, nil
	}
	switch v := value.(type) {
	case string:
		return t.deps.Redact(ctx, name, v)
	case json.Number:
		if s, err := t.deps.Redact(ctx, name, v.String()); err != nil || s != v.String() {
			return s, err
		}
	case []any:
		for i := range v {
			var err error
			if v[i], err = t.redacted(ctx, name, v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for inner := range v {
			var err error
			if v[inner], err = t.redacted(ctx, inner, v[inner]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func (t *Tool) fields(input string) (map[string]any, error) {
	switch {
	case len(input) > maxInput:
		return nil, mistakef("%s: the input has %d bytes; the most is %d. Send less: one question or one claim at a time.", t.name, len(input), maxInput)
	case !utf8.ValidString(input) || strings.IndexByte(input, 0) >= 0:
		return nil, mistakef("%s: the input is not text (it holds NUL or invalid UTF-8). Send %s.", t.name, t.example())
	}
	return t.unwrap(input, 0)
}

// maxWraps is the maximum depth of nested wrappers.
const maxWraps = 4

// unwrap finds the object or the bare text inside the wrappers of agents.
func (t *Tool) unwrap(input string, depth int) (map[string]any, error) {
	body := unfence(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(input), "\ufeff")))
	if !strings.HasPrefix(body, "{") {
		// A ReAct model that does not stop invents the next observation.
		body, _, _ = strings.Cut(body, "\nObservation:")
		body = strings.TrimSpace(body)
	}
	switch {
	case depth > maxWraps:
		return nil, mistakef("%s: the input is wrapped too many times. Send %s.", t.name, t.example())
	case body == "" || body == "null":
		return map[string]any{}, nil
	case body[0] == '{':
		object, err := t.object(body)
		if err != nil {
			return nil, err
		}
		return t.unwrapObject(object, depth)
	case body[0] == '"':
		var text string
		if json.Unmarshal([]byte(body), &text) == nil {
			return t.unwrap(text, depth+1)
		}
	case t.stores && array.MatchString(body) || body[0] == '[' && json.Valid([]byte(body)):
		return nil, mistakef("%s: the input is a JSON array. Send %s.", t.name, t.example())
	}
	if t.primary == "" {
		return map[string]any{}, nil // "none", "now": written in place of parameters
	}
	if t.stores && (strings.HasPrefix(body, t.name+"(") || strings.HasPrefix(body, t.primary+":")) {
		return nil, mistakef("%s: the input is neither JSON nor just the text. Send %s.", t.name, t.example())
	}
	return map[string]any{t.primary: body}, nil
}

func (t *Tool) unwrapObject(object map[string]any, depth int) (map[string]any, error) {
	inner, wrapped := object[wrapperField]
	if !wrapped || len(object) > 1 {
		return object, nil
	}
	switch v := inner.(type) {
	case nil:
		return map[string]any{}, nil
	case string:
		return t.unwrap(v, depth+1)
	case map[string]any:
		if depth >= maxWraps {
			return nil, mistakef("%s: the input is wrapped too many times. Send %s.", t.name, t.example())
		}
		return t.unwrapObject(v, depth+1)
	case json.Number:
		return t.unwrap(v.String(), depth+1)
	}
	return nil, mistakef("%s: %s must be a text or an object. Send %s.", t.name, wrapperField, t.example())
}

// object reads the JSON object that body begins with. ReAct agents continue in
// prose, which is ignored; a second object is a mistake.
func (t *Tool) object(body string) (map[string]any, error) {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends in the middle")
		}
		return nil, mistakef("%s: the input is not valid JSON (%v). Send %s.", t.name, err, t.example())
	}
	rest, _, _ := strings.Cut(body[decoder.InputOffset():], "Observation:") // invented, as in unwrap
	if nextCall.MatchString(rest) || t.stores && anotherObject.MatchString(rest) {
		return nil, mistakef("%s: the input holds more than one JSON object. Call the tool once for each; send %s.", t.name, t.example())
	}
	return object, nil
}

var (
	// array matches the beginning of a JSON array, or of Python's, and not "[Update]".
	array = regexp.MustCompile(`^\[\s*["'{\[\]]`)
	// nextCall matches the input of a second call after the first object.
	nextCall = regexp.MustCompile(`^[\s,;]*\{|Action Input:\s*\{`)
	// anotherObject matches a second object, or one in Python's quotes, wherever it is.
	// Prose may hold one, and then a question is answered, but nothing is stored.
	anotherObject = regexp.MustCompile(`\{\s*["']`)
)

// unfence returns the content of a Markdown code fence that s begins with.
func unfence(s string) string {
	const fence = "```"
	inside, ok := strings.CutPrefix(s, fence)
	if !ok {
		return s
	}
	body, _, _ := strings.Cut(inside, fence)
	if tag, rest, ok := strings.Cut(body, "\n"); ok && !strings.ContainsAny(tag, "{\"") {
		body = rest
	} else {
		body = strings.TrimPrefix(body, "json")
	}
	return strings.TrimSpace(body)
}

// check rejects unknown and missing fields.
func (t *Tool) check(fields map[string]any) (*arguments, error) {
	var unknown []string
	for name, value := range fields {
		if value == nil {
			delete(fields, name)
		}
		if !slices.ContainsFunc(t.parameters, func(p parameter) bool { return p.name == name }) {
			unknown = append(unknown, quoted(clip(name, 40)))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, mistakef("%s: unknown %s %s. It takes %s.%s",
			t.name, plural(len(unknown), "field", "fields"), strings.Join(unknown[:min(len(unknown), 8)], ", "), t.allowed(), t.unchanged())
	}
	args := &arguments{tool: t, fields: fields}
	for _, p := range t.parameters {
		value, given := args.fields[p.name]
		_, text := value.(string)
		if !p.required || given && (p.kind == kindContent || p.kind == kindFlag || p.kind != kindText && !text) {
			continue
		}
		if args.text(p.name) == "" && args.err == nil {
			args.err = mistakef("%s: %s is missing or empty. Send %s.", t.name, p.name, t.example())
		}
		if args.err != nil {
			return nil, args.err
		}
	}
	return args, nil
}

func (t *Tool) allowed() string {
	if len(t.parameters) == 0 {
		return "no fields; send {}"
	}
	all := make([]string, len(t.parameters))
	for i, p := range t.parameters {
		all[i] = p.name
		if p.required {
			all[i] += " (required)"
		}
	}
	return strings.Join(all, ", ")
}

// example returns the smallest input that the tool accepts.
func (t *Tool) example() string {
	var fields []string
	for _, p := range t.parameters {
		if p.required {
			fields = append(fields, fmt.Sprintf("%q: %q", p.name, "…"))
		}
	}
	return "a JSON object such as {" + strings.Join(fields, ", ") + "}"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// clip shortens s to at most n runes and marks the cut with an ellipsis.
func clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
