// Package strictjson decodes JSON strictly, with errors that quote nothing of it.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Decode decodes one JSON value into v. It rejects unknown fields and anything
// that follows the value.
func Decode(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// Fault describes an error of encoding/json without quoting the input, as the
// messages of encoding/json do.
func Fault(err error) string {
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
