package consolidate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// errCutOff means an answer that ends before it is complete. Closing it by
// guess would turn half a list into a whole one.
var errCutOff = errors.New("the answer ends before its JSON is complete; answer more briefly")

// decodeAnswer reads the JSON object in a model's answer into v. It bears
// fences, prose before and after, trailing commas, comments, single quotes and
// what else can be mended without guessing at content.
func decodeAnswer(answer string, v any) error {
	object, err := objectIn(answer)
	if err != nil {
		return err
	}
	if json.Unmarshal([]byte(object), v) == nil {
		return nil
	}
	mended, err := jsonrepair.Repair(object)
	if err != nil {
		return fmt.Errorf("the answer is no JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(mended), v); err != nil {
		return fmt.Errorf("the answer has the wrong form: %w", err)
	}
	return nil
}

// objectIn finds the first JSON object of an answer, quotes respected.
func objectIn(answer string) (string, error) {
	start := strings.IndexByte(answer, '{')
	if start < 0 {
		return "", errors.New("the answer holds no JSON object")
	}
	depth, quoted := 0, false
	for i := start; i < len(answer); i++ {
		switch c := answer[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return answer[start : i+1], nil
			}
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
