package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

// app is what a command works with: the streams, the global flags, and the
// memory they name.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer

	interactive bool // stderr is a terminal: progress may be drawn there
	screen      bool // stdout is a terminal
	colour      bool // and wants colour
	width       int  // columns of the output
	json        bool
	hook        bool           // it answers a hook of Claude Code
	location    *time.Location // in which times are read and shown

	db           string
	key          extension.Key
	keyFile      string // "" when it is in the environment
	user, tenant string
	profile      profile
	asked        string // the profile that was named, if one was
	now          time.Time

	users []extension.User // those of the file, once it is open and none was named
}

func newApp(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, width: 80, location: time.Local, profile: profiles[0]}
	_, a.interactive = terminal(stderr)
	if fd, ok := terminal(stdout); ok {
		a.screen = true
		noColour := os.Getenv("NO_COLOR") != "" // no-color.org
		a.colour = !noColour && os.Getenv("TERM") != "dumb"
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			a.width = max(40, min(w, 120))
		}
	}
	return a
}

func terminal(stream any) (fd int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile {
		return 0, false
	}
	fd = int(f.Fd())
	return fd, term.IsTerminal(fd)
}

// open opens the memory file that --db names. For looking only, the file must
// exist and nothing in it changes; otherwise it is created when there is none.
// Without --user, the scope becomes that of the file's only user.
func (a *app) open(readOnly bool) (*extension.Extension, error) {
	cfg := a.profile.config()
	cfg.ReadOnly, cfg.Night.NoSchedule = readOnly, true
	return a.openWith(cfg)
}

// openExisting is open for writing into a memory that must be there already.
func (a *app) openExisting() (*extension.Extension, error) {
	cfg := a.profile.config()
	cfg.Night.NoSchedule = true
	return a.openExistingWith(cfg)
}

// leave closes a memory that was written to, once what was written is read in the
// background ("forget that", said last, is carried out), or after five seconds: the rest
// is read when it is next opened.
func (a *app) leave(x *extension.Extension) error {
	within, cancel := context.WithTimeout(a.ctx, 5*time.Second)
	defer cancel()
	_ = x.WaitIdle(within)
	return x.Close(context.WithoutCancel(a.ctx))
}

// missing reports whether there is no memory yet where --db says; a server is asked
// when it is opened.
func (a *app) missing() bool {
	_, err := os.Stat(a.db)
	return !extension.IsServer(a.db) && errors.Is(err, fs.ErrNotExist)
}

func (a *app) openExistingWith(cfg *extension.Config) (*extension.Extension, error) {
	if a.missing() {
		return nil, missingFile(a.db)
	}
	x, err := a.openWith(cfg)
	if err != nil {
		return nil, err
	}
	return a.ofKnownUser(x)
}

func (a *app) openWith(cfg *extension.Config) (*extension.Extension, error) {
	if !a.now.IsZero() {
		cfg.Now = func() time.Time { return a.now }
	}
	cfg.Key = a.key
	if cfg.Hooks.OnError == nil {
		cfg.Hooks.OnError = a.tellFault
	}
	x, err := extension.Open(a.ctx, a.db, cfg)
	if err != nil {
		if cfg.ReadOnly && errors.Is(err, extension.ErrNotFound) {
			err = missingFile(a.db)
		}
		return nil, err
	}
	if a.user != "" {
		if cfg.ReadOnly {
			return a.ofKnownUser(x)
		}
		return x, nil
	}
	users, err := x.Users(a.ctx)
	if err != nil {
		return nil, errors.Join(err, x.Close(a.ctx))
	}
	for _, u := range users {
		if a.tenant == "" || u.Tenant == a.tenant {
			a.users = append(a.users, u)
		}
	}
	if len(a.users) == 1 {
		a.user, a.tenant = a.users[0].Name, a.users[0].Tenant
	}
	return x, nil
}

// tellFault prints a fault that no command returns.
func (a *app) tellFault(source string, err error) {
	a.tell(fmt.Sprintf("memory (%s): %s", source, message(a, err)))
}

// tellInterrupt is tell after the ^C that a terminal shows.
func (a *app) tellInterrupt(text string) {
	if a.interactive {
		fmt.Fprintln(a.stderr)
	}
	a.tell(text)
}

// tell prints a line for people to standard error, wrapped if that is a terminal.
func (a *app) tell(text string) {
	text = "ebb: " + text
	if a.interactive {
		text = strings.Join(cells.WrapProse(text, a.width), "\n")
	}
	fmt.Fprintln(a.stderr, text)
}

// ofKnownUser closes the memory again if it does not hold the named user: with a
// mistyped name it would look empty.
func (a *app) ofKnownUser(x *extension.Extension) (*extension.Extension, error) {
	if a.user == "" {
		return x, nil
	}
	users, err := x.Users(a.ctx)
	known := slices.ContainsFunc(users, func(u extension.User) bool { return u.Name == a.user && u.Tenant == a.tenant })
	if err == nil && !known {
		err = a.scope().Validate()
	}
	if err == nil && !known {
		err = &notFoundError{unknownUser(extension.User{Tenant: a.tenant, Name: a.user}, users)}
	}
	if err != nil {
		return nil, errors.Join(err, x.Close(a.ctx))
	}
	return x, nil
}

// scope names the user of the memory, once the file is open. Its User is empty
// when none was named and the file does not have exactly one: commands for one
// user then fail with the extension's InvalidError for Scope.User, which
// [report] turns into advice.
func (a *app) scope() extension.Scope {
	return extension.Scope{Tenant: a.tenant, User: a.user}
}

// eachUser calls visit for every user of the file, or of the tenant that was
// named, with an app that has the scope of that user. It is for --all-users, with
// which [run] drops --user: EBB_USER may stand for other commands.
func (a *app) eachUser(x *extension.Extension, visit func(u extension.User, of *app) error) error {
	users, err := x.Users(a.ctx)
	if err != nil {
		return err
	}
	if a.tenant != "" {
		users = slices.DeleteFunc(users, func(u extension.User) bool { return u.Tenant != a.tenant })
		if len(users) == 0 { // with a mistyped name it would look empty
			return &notFoundError{fmt.Sprintf("the file holds no user of tenant %q", a.tenant)}
		}
	}
	for _, u := range users {
		of := *a
		of.user, of.tenant = u.Name, u.Tenant
		if err := visit(u, &of); err != nil {
			return err
		}
	}
	return nil
}

// needUser returns an error before a file is made without a user.
func (a *app) needUser() error {
	if a.user == "" && a.missing() {
		return a.scope().Validate()
	}
	return nil
}

// sessionName makes a name for a conversation that begins now.
func (a *app) sessionName(kind string) string {
	now := a.now
	if now.IsZero() {
		now = time.Now()
	}
	return kind + " " + now.In(a.zone()).Format("2006-01-02 15:04:05") + " " + strings.ToLower(rand.Text()[:4])
}

// printJSON writes v as one indented JSON document.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// zone is the time zone of what is read and shown.
func (a *app) zone() *time.Location {
	if a.location == nil {
		return time.UTC
	}
	return a.location
}

// page is a [cells.Page] that also writes what the commands share.
type page struct{ *cells.Page }

func (a *app) page() *page {
	width := cmp.Or(a.width, 80)
	return &page{&cells.Page{W: a.stdout, Width: width, Screen: a.screen, Colour: a.colour, Location: a.zone()}}
}
