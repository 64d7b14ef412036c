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

// ForeignError is an error of code that is not ebb's: a model's client, an
// embedder, a host's handler or stage. Such errors often repeat what that code
// was given, the prompt included, and ebb's errors are logged, stored and shown
// to operators. So Error says only of what kind the fault is; Unwrap gives the
// error itself, for those who know what is in it.
//
// An error that has a method Plain() string says by it what may be logged; it
// stands in Error as it is.
type ForeignError struct {
	From string // "the model", "the embedder", "the handler"
	Err  error
}

// Foreign wraps an error where it comes in. A nil error stays nil, and one that
// is wrapped already, or that is a context's own, stays as it is.
func Foreign(from string, err error) error {
	if err == nil || err == context.Canceled || err == context.DeadlineExceeded { //nolint:errorlint // only what wraps nothing
		return err
	}
	if known, ok := err.(*ForeignError); ok { //nolint:errorlint // one inside another text may not hide that text
		return known
	}
	return &ForeignError{from, err}
}

// ForeignPanic is what became of a panic in code that is not ebb's. The value
// is not kept unless it is the runtime's own.
func ForeignPanic(from string, value any) error {
	return &ForeignError{from, &panicked{value}}
}

type panicked struct{ value any }

func (p *panicked) Error() string {
	if err, ok := p.value.(runtime.Error); ok {
		return "panicked: " + err.Error() // indexes and types
	}
	return fmt.Sprintf("panicked with a %T", p.value)
}

func (e *ForeignError) Error() string { return e.From + " failed: " + e.kind() }

// kind says of what kind the fault is. The methods of the error are foreign, too.
func (e *ForeignError) kind() (kind string) {
	defer func() {
		if recover() != nil {
			kind = fmt.Sprintf("a %T, which panics when it is read", e.Err)
		}
	}()
	return kindOf(e.Err)
}

// Unwrap gives the error as it came.
func (e *ForeignError) Unwrap() error { return e.Err }

// own are the errors whose texts are ours. Of two that one error wraps, the first
// says more.
var own = []error{
	ErrNotFound, ErrConflict, ErrReadOnly, ErrDiskFull, ErrIO, ErrCorrupt, ErrNotDatabase, ErrBusy, ErrClosed,
}

// FaultKind is which of this package's errors, such as [ErrDiskFull], a fault is by
// its text, as [Failure] and reports keep it; nil for none of them.
func FaultKind(fault string) error {
	for _, known := range own {
		if strings.Contains(fault, known.Error()) {
			return known
		}
	}
	return nil
}

// httpStatus finds the status that clients put into their texts.
var httpStatus = regexp.MustCompile(`(?i)(?:^|\b(?:status|http|code)\b[^0-9\n]{0,16})([1-5]\d\d)\b`)

// kindOf says what kind of error it is in words that hold nothing of anybody's
// texts: what it wraps, as far as that is known, its status and its type.
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

// typesOf names the types of an error and of what it wraps, those that say
// nothing left out.
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
