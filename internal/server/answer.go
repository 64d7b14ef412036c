package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/text"
)

// failure is the body of an answer that is an error.
type failure struct {
	Error struct {
		Code    string `json:"code"`
		Field   string `json:"field,omitempty"`
		Message string `json:"message"`
	} `json:"error"`
}

// answer writes a JSON answer.
func answer(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, "fault", "the answer cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(raw, '\n')) // a client that went away reads nothing
}

// fail writes an error.
func fail(w http.ResponseWriter, status int, code, message string) {
	failField(w, status, code, "", message)
}

func failField(w http.ResponseWriter, status int, code, field, message string) {
	var f failure
	f.Error.Code, f.Error.Field, f.Error.Message = code, field, message
	answer(w, status, f)
}

// fault reports an error to the operator and writes one that tells nothing of it.
func (s *Server) fault(w http.ResponseWriter, err error) {
	s.o.Report(err)
	fail(w, http.StatusInternalServerError, "fault", "the memory failed; the operator was told")
}

// errorOf writes what an error of the memory means to a client.
func (s *Server) errorOf(w http.ResponseWriter, err error) {
	var invalid *extension.InvalidError
	var redaction *extension.RedactionError
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "the body is too long")
	case errors.As(err, &invalid):
		failField(w, http.StatusBadRequest, "invalid", invalid.Field, invalid.Reason)
	case errors.Is(err, extension.ErrNotFound):
		fail(w, http.StatusNotFound, "not_found", "there is no such record")
	case errors.Is(err, extension.ErrConflict):
		fail(w, http.StatusConflict, "conflict", "the record was changed since, or is no longer current")
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

// readBody decodes a JSON body strictly into v. Its errors are for [Server.errorOf].
func readBody(r *http.Request, v any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return errContentType
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if err := text.StrictJSON(raw, v); err != nil {
		return badBody(err)
	}
	return nil
}

// badBody names the field of a body that cannot be decoded.
func badBody(err error) error {
	const described = "; /v1/openapi.json describes every body"
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return &extension.InvalidError{Field: kind.Field, Reason: "must not be a JSON " + kind.Value + described}
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return &extension.InvalidError{Field: text.Truncate(strings.Trim(name, `"`), 20), Reason: "is not a field of this body" + described}
	}
	return &extension.InvalidError{Field: "body", Reason: "is not one JSON object" + described}
}

var errContentType = errors.New("the content type must be application/json")

// limitedTime bounds the time of a request.
func (s *Server) limitedTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
