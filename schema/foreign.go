package schema

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
)

// ForeignError wraps an error of foreign code: a model's client, an embedder, a host's
// handler or stage. Such errors often quote their input, prompts included, and ebb's
// errors are logged, stored and shown to operators. So Error describes only the kind of
// the error; Unwrap returns the error itself.
//
// If the error has a method Plain() string, Error contains its result verbatim.
type ForeignError struct {
	From string // "the model", "the embedder", "the handler"
	Err  error
}

// Foreign wraps an error of foreign code. It returns nil, context errors and an error
// that is a [*ForeignError] already unchanged.
func Foreign(from string, err error) error {
	if err == nil || err == context.Canceled || err == context.DeadlineExceeded { //nolint:errorlint // only what wraps nothing
		return err
	}
	if known, ok := err.(*ForeignError); ok { //nolint:errorlint // one inside another text may not hide that text
		return known
	}
	return &ForeignError{from, err}
}

// ForeignPanic returns the error for a panic in foreign code. It discards the value
// unless that is a runtime error.
func ForeignPanic(from string, value any) error {
	return &ForeignError{from, &panicked{value}}
}

// RecoverForeign, when deferred, sets err to the [ForeignPanic] of a panic.
func RecoverForeign(from string, err *error) {
	if r := recover(); r != nil {
		*err = ForeignPanic(from, r)
	}
}

// CallForeign calls foreign code in a goroutine of its own and returns when ctx ends, even if
// the code ignores its context: it must not hold up the caller forever.
//
// Errors: a [*ForeignError] for an error, a panic and an ended goroutine; ctx's error.
func CallForeign[T any](ctx context.Context, from string, call func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	returned := make(chan result, 1)
	go func() {
		got := result{err: Foreign(from, errors.New("ended its goroutine"))}
		defer func() {
			if r := recover(); r != nil {
				got.err = ForeignPanic(from, r)
			}
			returned <- got
		}()
		value, err := call(ctx)
		got = result{value, Foreign(from, err)}
	}()
	select {
	case got := <-returned:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

type panicked struct{ value any }

func (p *panicked) Error() string {
	if err, ok := p.value.(runtime.Error); ok {
		return "panicked: " + err.Error() // indexes and types
	}
	return fmt.Sprintf("panicked with a %T", p.value)
}

func (e *ForeignError) Error() string { return e.From + " failed: " + e.kind() }

// kind describes the kind of the error. Methods of the error are foreign code and may
// panic.
func (e *ForeignError) kind() (kind string) {
	defer func() {
		if recover() != nil {
			kind = fmt.Sprintf("a %T, which panics when it is read", e.Err)
		}
	}()
	return kindOf(e.Err)
}

// Unwrap returns the original error.
func (e *ForeignError) Unwrap() error { return e.Err }

// own lists the errors with texts of ours, the more specific first.
var own = []error{
	ErrNotFound, ErrConflict, ErrReadOnly, ErrDiskFull, ErrIO, ErrCorrupt, ErrNotDatabase, ErrBusy, ErrClosed,
}

// httpStatus matches an HTTP status in the text of a client's error.
var httpStatus = regexp.MustCompile(`(?i)(?:^|\b(?:status|http|code)\b[^0-9\n]{0,16})([1-5]\d\d)\b`)

// kindOf describes an error without quoting it: the known errors that it wraps, its HTTP
// status and its type.
func kindOf(err error) string {
	var parts []string
	add := func(part string) {
		if part != "" && !strings.Contains(strings.Join(parts, ", "), part) {
			parts = append(parts, part)
		}
	}
	if p, ok := errors.AsType[*panicked](err); ok {
		return p.Error()
	}
	var plain interface{ Plain() string }
	if errors.As(err, &plain) {
		add(plain.Plain())
	}
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		add(invalid.Field + " is not valid")
	}
	if refused, ok := errors.AsType[*RedactionError](err); ok {
		add(refused.Error())
	}
	for _, known := range own {
		if errors.Is(err, known) {
			add(known.Error())
		}
	}
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		add("cancelled")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		add("timed out")
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		add("the host's name was not found")
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		add(errno.Error())
	}
	if status := httpStatus.FindStringSubmatch(err.Error()); status != nil {
		add("status " + status[1])
	}
	add(typesOf(err))
	return strings.Join(parts, ", ")
}

// typesOf names the types of an error and of those it wraps, except the generic ones.
func typesOf(err error) string {
	var names []string
	for err != nil && len(names) < 4 {
		name := fmt.Sprintf("%T", err)
		switch name {
		case "*fmt.wrapError", "*errors.errorString", "*fmt.wrapErrors", "*errors.joinError":
		default:
			names = append(names, name)
		}
		err = errors.Unwrap(err)
	}
	if len(names) == 0 {
		return "an error without a type"
	}
	return strings.Join(names, " of ")
}

// Redact rewrites a text before it is stored. name is the name of the JSON member that
// contains it, "" elsewhere. An error fails the write.
type Redact func(ctx context.Context, name, text string) (string, error)

// RedactionError means that a text could not be redacted and nothing was written. It
// contains neither the text nor the hook's error, which may quote it.
type RedactionError struct {
	// Panicked reports that the hook panicked; otherwise it returned an error.
	Panicked bool
	// Cut is the context's error if the hook failed because of it, else nil.
	Cut error
}

// NewRedactionError returns the error for a hook's error, of which it keeps only a
// context's error.
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

// Unwrap returns the context's error, if that is the cause.
func (e *RedactionError) Unwrap() error { return e.Cut }
