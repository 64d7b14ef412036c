package encoder

import "fmt"

// InvalidError reports a model folder that cannot be used: a file that is
// missing, damaged or too large, or a feature that is not supported.
type InvalidError struct {
	File    string // relative to the model folder
	Problem string
	Err     error // the cause, if there is one
}

func (e *InvalidError) Error() string {
	text := "encoder: " + e.File + ": " + e.Problem
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *InvalidError) Unwrap() error { return e.Err }

func invalid(file, format string, args ...any) error {
	return &InvalidError{File: file, Problem: fmt.Sprintf(format, args...)}
}
