package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ebbmem/ebb/extension"
)

// The exit codes, as doc.go and --help document them.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDamaged     = 4
	exitInterrupted = 130
)

// usageError is a command line or an input that cannot be used.
type usageError struct{ reason string }

func (e *usageError) Error() string { return e.reason }

// missingFileError is a memory file that has to exist and does not.
type missingFileError struct{ path string }

func (e *missingFileError) Error() string {
	return fmt.Sprintf("no memory file %s; name one with --db or make one with ebb import", e.path)
}

func (*missingFileError) Unwrap() error { return extension.ErrNotFound }

// damagedError is a file whose diagnosis was printed already.
type damagedError struct{ reason string }

func (e *damagedError) Error() string { return e.reason }

// report prints an error as one line and returns the exit code it stands for.
func report(stderr io.Writer, a *app, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	if code == exitInterrupted && a != nil && a.ctx.Err() == nil {
		code = exitFailure // somebody else's cancellation
	}
	if code == exitInterrupted {
		fmt.Fprintln(stderr, "ebb: interrupted; what was stored so far is kept")
		return code
	}
	fmt.Fprintln(stderr, "ebb: "+message(a, err))
	return code
}

func exitCode(err error) int {
	var (
		usage   *usageError
		invalid *extension.InvalidError
		version *extension.VersionError
		damaged *damagedError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &invalid):
		return exitUsage
	case errors.Is(err, extension.ErrNotFound):
		return exitNotFound
	case errors.As(err, &damaged), errors.As(err, &version),
		errors.Is(err, extension.ErrCorrupt), errors.Is(err, extension.ErrNotDatabase):
		return exitDamaged
	}
	return exitFailure
}

// message is the error in one line, with the fix where the command line has
// one that the library cannot know.
func message(a *app, err error) string {
	var invalid *extension.InvalidError
	if a != nil && errors.As(err, &invalid) && invalid.Field == "Scope.User" && a.user == "" {
		return chooseUser(a.users)
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case errors.Is(err, extension.ErrCorrupt):
		text += "; run ebb doctor"
	case errors.Is(err, extension.ErrBusy):
		text += "; close the other program or try again"
	}
	return text
}

func chooseUser(users []extension.User) string {
	if len(users) == 0 {
		return "the file holds no user yet; name one with --user NAME"
	}
	const most = 8
	names := make([]string, 0, most+1)
	for _, u := range users {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		name := fmt.Sprintf("%q", u.Name)
		if u.Tenant != "" {
			name += fmt.Sprintf(" of tenant %q", u.Tenant)
		}
		names = append(names, name)
	}
	return fmt.Sprintf("the file holds %d users; choose one with --user NAME: %s", len(users), strings.Join(names, ", "))
}

// notFoundAs gives what was not found a sentence of its own; other errors
// pass.
func notFoundAs(err error, reason string) error {
	if !errors.Is(err, extension.ErrNotFound) {
		return err
	}
	return &notFoundError{reason}
}

type notFoundError struct{ reason string }

func (e *notFoundError) Error() string { return e.reason }

func (*notFoundError) Unwrap() error { return extension.ErrNotFound }
