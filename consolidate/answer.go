package consolidate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"github.com/ebbmem/ebb/internal/redact"
	"github.com/ebbmem/ebb/schema"
)

// errCutOff means an answer that ends before it is complete. Closing it by
// guess would turn half a list into a whole one.
var errCutOff = unusable("the answer ends before its JSON is complete", "; answer more briefly")

// answerFault is what makes an answer unreadable: its kind, and for the model,
// which has written the answer, more.
type answerFault struct{ kind, more string }

func (e *answerFault) Error() string { return e.kind + e.more }

func unusable(kind, more string) error { return &answerFault{kind, more} }

// decodeAnswer reads the JSON object in a model's answer into v. It bears
// fences, prose before and after, trailing commas, comments, single quotes and
// what else can be mended without guessing at content.
//
// It refuses an answer longer than [maxAnswer] before anything looks into it,
// and one with a text longer than [maxAnswerText]: what follows takes time that
// grows faster than the text.
func decodeAnswer(ctx context.Context, answer string, v any, rewrite schema.Redact) error {
	if len(answer) > maxAnswer {
		return unusable(fmt.Sprintf("the answer is longer than %d KiB", maxAnswer>>10), "; answer more briefly")
	}
	object, err := objectIn(answer)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(object)) {
		if object, err = jsonrepair.Repair(object); err != nil {
			return unusable("the answer is no JSON", ": "+err.Error())
		}
	}
	if object, err = redactAnswer(ctx, object, rewrite); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(object), v); err != nil {
		return unusable("the answer has the wrong form", ": "+err.Error())
	}
	return nil
}

// The longest answer that is read, the longest text in one, in bytes, and how
// deep objects and lists in it may lie: mending takes the square of that.
const (
	maxAnswer     = 256 << 10
	maxAnswerText = 8 << 10
	maxNesting    = 64
)

// redactAnswer rewrites the texts of an answer before anything of it is used:
// a model may repeat what it has seen elsewhere.
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

// objectIn finds the first JSON object of an answer, quotes respected.
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
	// A stray quotation mark hides the end: take the last brace, if the rest is
	// no JSON any more.
	if end := strings.LastIndexByte(answer, '}'); end > start && strings.TrimSpace(strings.Trim(strings.TrimSpace(answer[end+1:]), "`")) == "" {
		return answer[start : end+1], balanced(answer[start : end+1])
	}
	return "", errCutOff
}

// balanced tells an object with a stray quotation mark from one that was cut
// off behind an inner brace.
func balanced(object string) error {
	if strings.Count(object, "{") != strings.Count(object, "}") || strings.Count(object, "[") != strings.Count(object, "]") {
		return errCutOff
	}
	return nil
}
