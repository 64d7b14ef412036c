package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebbmem/ebb/internal/clients"
)

type setupCmd struct {
	Client      string `arg:"" help:"claude-code, claude-desktop, codex, cursor, vscode or zed."`
	Project     bool   `help:"Configure the project in this folder instead of the user's settings."`
	Remove      bool   `help:"Remove ebb from the client's configuration."`
	DryRun      bool   `help:"Show the change without writing it."`
	Yes         bool   `short:"y" help:"Write without asking."`
	TrustClient bool   `help:"Trust messages that the client records for the user as the user's own. Only for a client used by one person."`
}

// Help says what is written.
func (setupCmd) Help() string {
	return `Shows the change of the client's configuration file, asks, and writes it. Everything else in the file stays, including comments. The client then starts "ebb mcp" with this --db and --user. Restart the client afterwards.

Asks whether only one person uses the client, unless --trust-client or --yes is given. If so, the client records messages and they are trusted as that person's own; see docs/MCP.md. For Claude Code it also describes hooks, which do not depend on the model.`
}

// Run implements the command.
func (c *setupCmd) Run(a *app) error {
	client, err := clients.Named(c.Client)
	if err != nil {
		return &usageError{err.Error()}
	}
	folder := ""
	if c.Project {
		folder = "."
	}
	path, err := client.File(folder)
	if err != nil {
		return &usageError{err.Error()}
	}
	dialogue := &clients.Dialogue{Client: client, Path: path, In: a.stdin, Out: a.stdout, Ask: a.stderr, DryRun: c.DryRun, Yes: c.Yes,
		Next: "Then tell it something to remember, and look at it with: ebb inspect " + a.db + "\n"}
	if c.Remove {
		return dialogue.Remove()
	}
	if a.user == "" && !a.missing() {
		x, err := a.open(true) // which takes the file's only user
		if err != nil {
			return err
		}
		if err := x.Close(a.ctx); err != nil {
			return err
		}
	}
	if err := a.scope().Validate(); err != nil {
		return err
	}
	c.TrustClient = c.TrustClient || dialogue.Trusts(a.user)
	entry, err := c.entry(a)
	if err != nil {
		return err
	}
	return dialogue.Set(entry)
}

// entry is how the client starts this program.
func (c *setupCmd) entry(a *app) (e clients.Entry, err error) {
	if e.Command, err = os.Executable(); err != nil {
		return e, err
	}
	if strings.Contains(filepath.ToSlash(e.Command), "/go-build") && !strings.HasSuffix(e.Command, ".test") {
		return e, errors.New("this program is a temporary one of go run; install ebb first (go install ./cmd/ebb)")
	}
	e.Args = []string{"mcp", "--db", a.db, "--user", a.user}
	if a.tenant != "" {
		e.Args = append(e.Args, "--tenant", a.tenant)
	}
	if a.asked != "" {
		e.Args = append(e.Args, "--profile", a.asked)
	}
	if a.keyFile != "" {
		e.Args = append(e.Args, "--key-file", a.keyFile)
	} else if os.Getenv("EBB_KEY") != "" {
		a.tell("the key in EBB_KEY is not written; give the client a --key-file, or that variable")
	}
	if c.TrustClient {
		e.Args = append(e.Args, "--write-turns", "--trust-client")
	}
	return e, nil
}
