package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"github.com/ebbmem/ebb/internal/redact"
	"github.com/ebbmem/ebb/schema"
)

// ErrIncomplete means that an answer ends before its JSON is complete. Such an
// answer is not repaired: closing the brackets would turn half a list into
// a complete one.
var ErrIncomplete = unusable("the answer ends before its JSON is complete", "; answer more briefly")

// ErrTooLong means that the provider refused a prompt that does not fit the model's
// context.
var ErrTooLong = unusable("the prompt is longer than the model's context", "")

// answerError says why an answer cannot be read. summary contains nothing of the
// answer; detail is shown to the model alone.
type answerError struct{ summary, detail string }

func (e *answerError) Error() string { return e.summary + e.detail }

func unusable(summary, detail string) error { return &answerError{summary, detail} }

// Decode reads the JSON object in a model's answer into v. It accepts fences,
// prose before and after, trailing commas, comments, single quotes and whatever
// else can be repaired without guessing content.
//
// It rejects answers above the limits below before reading them, because repair
// and the checks that follow take more than linear time.
func Decode(ctx context.Context, answer string, v any, rewrite schema.Redact) error {
	if len(answer) > maxAnswer {
		return unusable(fmt.Sprintf("the answer is longer than %d KiB", maxAnswer>>10), "; answer more briefly")
	}
	object, err := objectIn(answer)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(object)) {
		if len(object) > maxRepaired {
			return unusable(fmt.Sprintf("the answer is no JSON, and longer than %d KiB", maxRepaired>>10), "; answer more briefly")
		}
		if object, err = jsonrepair.Repair(object); err != nil {
			return unusable("the answer is no JSON", ": "+err.Error())
		}
	}
	object = unwrapped(object)
	if object, err = redactAnswer(ctx, object, rewrite); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(object), v); err != nil {
		return unusable("the answer has the wrong form", ": "+err.Error())
	}
	return nil
}

// unwrapped returns the arguments of a function call that a model has written as text:
// {"name": "extract", "arguments": {...}}.
func unwrapped(object string) string {
	var call struct {
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
		Parameters json.RawMessage `json:"parameters"`
	}
	strict := json.NewDecoder(strings.NewReader(object))
	strict.DisallowUnknownFields()
	if strict.Decode(&call) != nil || call.Name == "" {
		return object
	}
	if call.Arguments == nil {
		call.Arguments = call.Parameters
	}
	inner := strings.TrimSpace(string(call.Arguments))
	var quoted string
	if json.Unmarshal(call.Arguments, &quoted) == nil {
		inner = strings.TrimSpace(quoted)
	}
	if _, err := objectIn(inner); err != nil || !strings.HasPrefix(inner, "{") || !json.Valid([]byte(inner)) {
		return object
	}
	return inner
}

// Number is a number that a model may have written as a string. Text is 0.
type Number float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return json.Unmarshal(b, (*float64)(n))
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		f = 0
	}
	*n = Number(f)
	return nil
}

// Int is a whole number that a model may have written as a string.
type Int int

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Int) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil && string(b) != "null" {
		b = []byte(strings.TrimSpace(s))
	}
	return json.Unmarshal(b, (*int)(n))
}

// Words is a list of strings; a single string is a list of one.
type Words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *Words) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return json.Unmarshal(b, (*[]string)(w))
	}
	*w = nil
	if s != "" {
		*w = Words{s}
	}
	return nil
}

const (
	maxAnswer     = 256 << 10 // bytes
	maxRepaired   = 64 << 10  // bytes of one that is no JSON; to repair garbage takes its square
	maxAnswerText = 8 << 10   // bytes of one text in it
	maxNesting    = 64        // of objects and lists; repair takes its square
)

// redactAnswer redacts the texts of an answer before any is used: a model may
// repeat secrets from elsewhere.
func redactAnswer(ctx context.Context, object string, rewrite schema.Redact) (string, error) {
	redacted, err := redact.JSON([]byte(object), func(name, text string) (string, error) {
		if len(text) > maxAnswerText {
			return "", unusable(fmt.Sprintf("the answer holds a text of more than %d KiB", maxAnswerText>>10), "; answer more briefly")
		}
		if rewrite == nil {
			return text, nil
		}
		return rewrite(ctx, name, text)
	})
	return string(redacted), err
}

// objectIn returns the first JSON object of an answer. Braces inside quotes do
// not count.
func objectIn(answer string) (string, error) {
	start := strings.IndexByte(answer, '{')
	if start < 0 {
		return "", unusable("the answer holds no JSON object", "")
	}
	depth, nesting, quoted := 0, 0, false
	for i := start; i < len(answer); i++ {
		switch c := answer[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
			nesting++
		case c == '[':
			nesting++
		case c == ']':
			nesting--
		case c == '}':
			nesting--
			if depth--; depth == 0 {
				return answer[start : i+1], nil
			}
		}
		if nesting > maxNesting {
			return "", unusable("the answer is nested too deeply", "; keep to the form that was asked for")
		}
	}
	// A stray quotation mark hides the end. Take the last brace if nothing but
	// fences follows it.
	if end := strings.LastIndexByte(answer, '}'); end > start && strings.TrimSpace(strings.Trim(strings.TrimSpace(answer[end+1:]), "`")) == "" {
		return answer[start : end+1], balanced(answer[start : end+1])
	}
	return "", ErrIncomplete
}

// balanced distinguishes an object with a stray quotation mark from one that was
// cut off after an inner brace.
func balanced(object string) error {
	if strings.Count(object, "{") != strings.Count(object, "}") || strings.Count(object, "[") != strings.Count(object, "]") {
		return ErrIncomplete
	}
	return nil
}
