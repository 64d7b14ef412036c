package schema

import (
	"context"
	"errors"
)

// Redact rewrites a text before anything of it is stored. name is the member
// of a JSON object that it stands in, "" elsewhere. An error refuses the write.
type Redact func(ctx context.Context, name, text string) (string, error)

// RedactionError means that a text could not be redacted, so nothing of it was
// written. It says what failed and never carries the text, nor the words of an
// error that may hold it.
type RedactionError struct {
	// Panicked says that the host's hook panicked; else it returned an error.
	Panicked bool
	// Cut is the context's error when that is why the hook failed, else nil.
	Cut error
}

// NewRedactionError keeps of a hook's error only whether a context ended.
func NewRedactionError(cause error) *RedactionError {
	e := new(RedactionError)
	switch {
	case errors.Is(cause, context.Canceled):
		e.Cut = context.Canceled
	case errors.Is(cause, context.DeadlineExceeded):
		e.Cut = context.DeadlineExceeded
	}
	return e
}

func (e *RedactionError) Error() string {
	switch {
	case e.Panicked:
		return "the redaction hook panicked; nothing was written"
	case e.Cut != nil:
		return "the redaction hook was cut off; nothing was written"
	}
	return "the redaction hook failed; nothing was written"
}

// Unwrap gives the context's error, if that is the cause.
func (e *RedactionError) Unwrap() error { return e.Cut }
