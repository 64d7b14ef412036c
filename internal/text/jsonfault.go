package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// JSONFault describes an error of encoding/json without quoting the input, as the
// messages of encoding/json do.
func JSONFault(err error) string {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		found, _, _ := strings.Cut(kind.Value, " ") // "number 4111…"
		in := ""
		if kind.Field != "" {
			in = kind.Field + " "
		}
		return fmt.Sprintf("%sis a JSON %s where %s belongs", in, found, article(jsonKind(kind.Type)))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("breaks the syntax of JSON at byte %d", syntax.Offset)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "ends before its JSON is complete"
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return "has a field that is not known"
	}
	return "is not the JSON that belongs there"
}

// jsonKind returns the JSON name of a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Bool, reflect.String:
		return t.Kind().String()
	default:
		return "number"
	}
}

func article(noun string) string {
	if strings.HasPrefix(noun, "a") || strings.HasPrefix(noun, "o") { // array, object
		return "an " + noun
	}
	return "a " + noun
}
