package main

import (
	"errors"
	"io"
	"os"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

// bank takes a team's bank into core memory and says what went where.
func (c *importCmd) bank(a *app) (err error) {
	if c.Stream || c.Restore || c.Session != "" || c.Origin != string(eventbus.OriginImport) {
		return &usageError{"--bank stands by itself: a bank has no sessions, is no export, and is taken with your authority"}
	}
	var file io.Reader = a.stdin
	if c.Path != "-" {
		opened, err := os.Open(c.Path)
		if err != nil {
			return &usageError{"cannot import: " + err.Error()}
		}
		defer opened.Close()
		file = opened
	}
	cfg := extension.ThreeTier()
	cfg.Night.NoSchedule = true
	if err := a.needUser(); err != nil {
		return err
	}
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	report, err := x.ImportBank(a.ctx, a.scope(), file)
	if err != nil {
		return &fileError{c.Path, err}
	}
	if a.json {
		return a.printJSON(report)
	}
	p := a.page()
	for _, b := range report.Blocks {
		name := b.Name
		if b.Agent != "" {
			name += " of " + b.Agent
		}
		p.Line("%-24s %s, %d tokens", cells.OneLine(name, 24), cells.Count(b.Entries, "entry", "entries"), b.Tokens)
	}
	for _, r := range report.LeftOut {
		p.Say("left out %s: %s (%d tokens)", cells.OneLine(r.Heading, 40), cells.OneLine(r.Reason, 120), r.Tokens)
	}
	p.Say("%d tokens of a file became %d tokens of core memory, those of all roles together.", report.Tokens, report.CoreTokens)
	return p.Err
}
