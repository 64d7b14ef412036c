package schema

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Strings is a list of short texts, kept as a JSON array.
type Strings []string

// Value implements [driver.Valuer]. Nil is stored as the empty array.
func (s Strings) Value() (driver.Value, error) {
	if len(s) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]string(s))
	return string(b), err
}

// Scan implements [database/sql.Scanner].
func (s *Strings) Scan(src any) error { return scanJSON(src, (*[]string)(s)) }

// Attributes is extensible metadata of a memory, kept as a JSON object.
type Attributes map[string]string

// Value implements [driver.Valuer]. Nil is stored as the empty object.
func (a Attributes) Value() (driver.Value, error) {
	if len(a) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(map[string]string(a))
	return string(b), err
}

// Scan implements [database/sql.Scanner].
func (a *Attributes) Scan(src any) error { return scanJSON(src, (*map[string]string)(a)) }

func scanJSON(src, dest any) error {
	switch v := src.(type) {
	case nil:
		return nil
	case string:
		if v == "{}" || v == "[]" { // as most are
			return nil
		}
		return json.Unmarshal([]byte(v), dest)
	case []byte:
		return json.Unmarshal(v, dest)
	}
	return fmt.Errorf("schema: cannot read JSON from %T", src)
}

// DecodeStored decodes the JSON of a column into dest. [ErrCorrupt] otherwise, without
// the JSON's text; what says what was read.
func DecodeStored(what, encoded string, dest any) error {
	if err := json.Unmarshal([]byte(encoded), dest); err != nil {
		return fmt.Errorf("%w: %s %s", ErrCorrupt, what, JSONFault(err))
	}
	return nil
}

// JSONFault describes an error of encoding/json without quoting the input, as the
// package's own messages do.
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
