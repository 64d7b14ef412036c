package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/ebbmem/ebb/encoder"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/encoders"
)

// The exit codes, as doc.go and --help document them.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDamaged     = 4
	exitInterrupted = 130
	exitPipe        = 141 // the reader of the output has closed it
)

// usageError is a command line or an input that cannot be used.
type usageError struct{ reason string }

func (e *usageError) Error() string { return e.reason }

// missingFile is about a memory file that has to exist and does not.
func missingFile(path string) error {
	return &notFoundError{"no memory file " + path + "; name one with --db or make one with ebb import"}
}

// damagedError is a file that is damaged or of another version, after its diagnosis was
// printed.
type damagedError struct{ reason string }

func (e *damagedError) Error() string { return e.reason }

// report prints an error as one line and returns the exit code it stands for.
func report(stderr io.Writer, a *app, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitPipe // like head: no reader is left
	}
	code := exitCode(err)
	if code == exitInterrupted && a != nil && a.ctx.Err() == nil {
		code = exitFailure // not a Ctrl-C
	}
	if code == exitUsage && a != nil && a.hook {
		code = exitFailure // that of wrong usage makes Claude Code refuse the prompt
	}
	if code == exitInterrupted {
		kept := "what was stored so far is kept"
		if told, ok := errors.AsType[*interruptedError](err); ok {
			kept = told.kept
		}
		if a != nil && !a.json {
			a.tellInterrupt("interrupted; " + kept)
			return code
		}
		say(stderr, a, "interrupted; "+kept, code)
		return code
	}
	say(stderr, a, message(a, err), code)
	return code
}

// say prints an error for people, or with --json as one line of JSON.
func say(stderr io.Writer, a *app, text string, code int) {
	if a == nil {
		a = &app{stderr: stderr}
	}
	if !a.json {
		a.tell(text)
		return
	}
	enc := json.NewEncoder(stderr)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // a broken stderr leaves nowhere to report to
		Error string `json:"error"`
		Code  int    `json:"code"`
	}{text, code})
}

func exitCode(err error) int {
	var (
		usage   *usageError
		invalid *extension.InvalidError
		version *extension.VersionError
		damaged *damagedError
		model   *encoder.InvalidError
		refused *encoders.RefusedError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &invalid), errors.As(err, &model), errors.As(err, &refused), errors.Is(err, extension.ErrKey):
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
		return chooseUser(a.tenant, a.users)
	}
	text := asFlags.Replace(strings.Join(strings.Fields(strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")), " "))
	switch {
	case errors.Is(err, extension.ErrNotDatabase):
		text += "; give the file of a memory; ebb import makes one"
	case errors.As(err, new(*encoder.InvalidError)):
		text += "; give the folder of a model, or a name from ebb encoder list"
	case errors.Is(err, extension.ErrCorrupt):
		text += "; run ebb doctor"
	case errors.Is(err, extension.ErrReadOnly) && strings.Contains(text, "brought up to date"):
		text += "; ebb consolidate does it"
	case errors.Is(err, extension.ErrReadOnly) && strings.Contains(text, "attempt to write"):
		text += "; SQLite reads it only where a -shm file may stand beside it: copy it to a folder of your own"
	case errors.Is(err, extension.ErrKeyMissing):
		text += "; name it with --key-file or " + keyVariable
	case errors.Is(err, extension.ErrBusy) && !strings.Contains(text, "try again"):
		text += "; close the other program or try again"
	}
	return text
}

// asFlags names what the library calls by its fields as the command line does.
var asFlags = strings.NewReplacer("Scope.User", "--user", "Scope.Tenant", "--tenant", "Erasure.Until", "--until", "Erasure.Since", "--since",
	"Erasure.Everything", "--all", "Erasure.Memories", "--id", "Erasure.Events", "--event", "Erasure.Sessions", "--session", "Erasure.Speakers", "--speaker",
	"Erasure names nothing; give ids, sessions, speakers, a span of time, or everything", "say what to erase with --id, --event, --session, --speaker, --since, --until or --all")

func chooseUser(tenant string, users []extension.User) string {
	switch {
	case len(users) == 0 && tenant != "":
		return fmt.Sprintf("the file holds no user of tenant %q; name one with --user NAME", tenant)
	case len(users) == 0:
		return "the file holds no user yet; name one with --user NAME"
	}
	return fmt.Sprintf("the file holds %d users; choose one with --user NAME: %s", len(users), listUsers(users))
}

func unknownUser(u extension.User, users []extension.User) string {
	if len(users) == 0 {
		return fmt.Sprintf("no user %s in the file; it has no users yet", nameUser(u))
	}
	return fmt.Sprintf("no user %s in the file; it holds %s", nameUser(u), listUsers(users))
}

func listUsers(users []extension.User) string {
	const most = 8
	names := make([]string, 0, most+1)
	for _, u := range users {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, nameUser(u))
	}
	return strings.Join(names, ", ")
}

func nameUser(u extension.User) string {
	if u.Tenant != "" {
		return fmt.Sprintf("%q of tenant %q", u.Name, u.Tenant)
	}
	return fmt.Sprintf("%q", u.Name)
}

// notFoundAs gives what was not found a sentence of its own; other errors
// pass.
func notFoundAs(err error, reason string) error {
	if !errors.Is(err, extension.ErrNotFound) {
		return err
	}
	return &notFoundError{reason}
}

func noSuchMemory(id string) string {
	return fmt.Sprintf("no memory %q of this user; ebb search prints ids", id)
}

type notFoundError struct{ reason string }

func (e *notFoundError) Error() string { return e.reason }

func (*notFoundError) Unwrap() error { return extension.ErrNotFound }

// interruptedError is a Ctrl-C, with what was kept.
type interruptedError struct{ kept string }

func (e *interruptedError) Error() string { return "interrupted; " + e.kept }

func (*interruptedError) Unwrap() error { return context.Canceled }
