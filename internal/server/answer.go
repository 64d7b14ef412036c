package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
)

// failure is the body of an error response.
type failure struct {
	Error struct {
		Code    string `json:"code"`
		Field   string `json:"field,omitempty"`
		Message string `json:"message"`
	} `json:"error"`
}

// answer writes v as a JSON response. No browser takes it for a page, so that < is written as
// it is: people read a block with curl.
func answer(w http.ResponseWriter, status int, v any) {
	var raw bytes.Buffer
	out := json.NewEncoder(&raw)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		fail(w, http.StatusInternalServerError, "fault", "the answer cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw.Bytes()) // fails only if the client has disconnected
}

// fail writes an error response.
func fail(w http.ResponseWriter, status int, code, message string) {
	failField(w, status, code, "", message)
}

func failField(w http.ResponseWriter, status int, code, field, message string) {
	var f failure
	f.Error.Code, f.Error.Field, f.Error.Message = code, field, message
	answer(w, status, f)
}

// fault reports an error to the operator and writes a 500 response without details.
func (s *Server) fault(w http.ResponseWriter, err error) {
	s.o.Report(err)
	fail(w, http.StatusInternalServerError, "fault", "the memory failed; the operator was notified")
}

// errorOf writes the response for an error of the memory.
func (s *Server) errorOf(w http.ResponseWriter, err error) {
	var invalid *extension.InvalidError
	var redaction *extension.RedactionError
	var tooLong *http.MaxBytesError
	var broken *uploadError
	switch {
	case errors.As(err, &tooLong):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "the body is too long")
	case errors.As(err, &broken) && errors.Is(err, os.ErrDeadlineExceeded):
		fail(w, http.StatusRequestTimeout, "body", "the body did not arrive in time")
	case errors.As(err, &broken):
		fail(w, http.StatusBadRequest, "body", "the body did not arrive whole")
	case errors.As(err, &invalid):
		failField(w, http.StatusBadRequest, "invalid", invalid.Field, invalid.Reason)
	case errors.Is(err, extension.ErrNotFound):
		fail(w, http.StatusNotFound, "not_found", "there is no such record")
	case errors.Is(err, errTaken):
		fail(w, http.StatusConflict, "conflict", err.Error())
	case errors.Is(err, engine.ErrLeaseHeld):
		fail(w, http.StatusConflict, "conflict", "a night or an erasure of this user is running; try again when it has ended")
	case errors.Is(err, extension.ErrConflict):
		fail(w, http.StatusConflict, "conflict", "the record was changed since, or is no longer current")
	case errors.Is(err, extension.ErrReadOnly):
		fail(w, http.StatusForbidden, "read_only", "the memory is open for reading only; ebb serve, or ebb inspect --write, opens it for writing")
	case errors.Is(err, extension.ErrDiskFull):
		s.o.Report(err)
		fail(w, http.StatusInsufficientStorage, "disk_full", "the disk of the memory is full; nothing was stored")
	case errors.As(err, &redaction):
		s.o.Report(err)
		fail(w, http.StatusUnprocessableEntity, "redaction", "the text could not be checked for secrets; nothing was stored")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, extension.ErrBusy), errors.Is(err, extension.ErrClosed), errors.Is(err, context.Canceled):
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, "unavailable", "the memory did not answer in time; try again")
	default:
		s.fault(w, err)
	}
}

// uploadError is an error of reading the body of a request: the client's or the network's, not
// the memory's.
type uploadError struct{ err error }

func (e *uploadError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *uploadError) Unwrap() error { return e.err }

// readBody decodes a JSON body strictly into v. Its errors are errContentType and
// those that [Server.errorOf] handles.
func readBody(r *http.Request, v any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return errContentType
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return &uploadError{err}
	}
	t := reflect.TypeOf(v).Elem()
	if err := strictjson.Decode(raw, v); err != nil {
		return badBody(raw, err, t)
	}
	return complete(raw, t)
}

// complete returns an error for a body without a field that its type requires.
func complete(raw []byte, t reflect.Type) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return badBody(raw, err, t)
	}
	if fields == nil { // null
		return badBody(raw, errors.New("no object"), t)
	}
	for i := range t.NumField() {
		if name, rest, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); rest == "" && (fields[name] == nil || string(fields[name]) == "null") {
			return &extension.InvalidError{Field: name, Reason: "is missing" + described}
		}
	}
	return nil
}

// described says where bodies are described.
const described = "; /v1/openapi.json describes every body"

// badBody converts a decoding error to an [*extension.InvalidError] that names the
// field. raw is the body, t its type.
func badBody(raw []byte, err error, t reflect.Type) error {
	if _, wrong := errors.AsType[*time.ParseError](err); wrong {
		if field := wrongTime(raw, t); field != "" {
			return &extension.InvalidError{Field: field, Reason: "must be a time with its zone, such as 2026-03-01T09:00:00Z" + described}
		}
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		if kind.Type.Kind() == reflect.Int {
			return &extension.InvalidError{Field: kind.Field, Reason: "must be a whole number, without a point or an exponent" + described}
		}
		return &extension.InvalidError{Field: kind.Field, Reason: "must not be a JSON " + kind.Value + described}
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &extension.InvalidError{Field: text.Truncate(strings.Trim(name, `"`), 20), Reason: "is not a field here; the body has " + strings.Join(fieldsOf(t), ", ")}
	}
	return &extension.InvalidError{Field: "body", Reason: "is not one JSON object" + described}
}

// wrongTime returns the path of the first field of a body that is no time, such as turns[2].at, and
// "" for none: the decoder does not name it.
func wrongTime(raw []byte, t reflect.Type) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		value, of := fields[name], t.Field(i).Type
		if of == reflect.TypeFor[time.Time]() && value != nil && json.Unmarshal(value, new(time.Time)) != nil {
			return name
		}
		if of.Kind() != reflect.Slice || of.Elem().Kind() != reflect.Struct {
			continue
		}
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items) // what is no list holds no times
		for at, item := range items {
			if wrong := wrongTime(item, of.Elem()); wrong != "" {
				return fmt.Sprintf("%s[%d].%s", name, at, wrong)
			}
		}
	}
	return ""
}

// fieldsOf returns the names of a body's fields.
func fieldsOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if of := t.Field(i).Type; of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct {
			name += " (each with " + strings.Join(fieldsOf(of.Elem()), ", ") + ")"
		}
		names = append(names, name)
	}
	return names
}

var (
	errContentType = errors.New("the content type must be application/json")
	errTaken       = errors.New("an id belongs to a message with another text; ids are unique among all messages of the user; nothing was stored")
)

// limitedTime sets Options.Timeout on the context of a request.
func (s *Server) limitedTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
