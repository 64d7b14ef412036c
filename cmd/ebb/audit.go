package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/audit"
	"github.com/ebbmem/ebb/extension/transfer"
)

type auditCmd struct {
	Path     string `arg:"" name:"file" optional:"" help:"A file that ebb import reads, a memory, or - for standard input (default: the memory of --db)."`
	Stream   bool   `help:"The file is a stream of a team's agents."`
	Examples int    `default:"5" placeholder:"N" help:"Examples of each kind (default 5)."`
}

// Help says what is looked for, and documents the JSON.
func (auditCmd) Help() string {
	return `Stores nothing, changes nothing, and calls no model. Looks for: duplicates, the same text more than once; loops, what a program wrote three times or more, and memory blocks that were stored as messages; secrets, which are named and never shown; stale, statements that a later one replaces; instructions, texts written for a model. It finds what its rules know and no more.

With --json: {"format", "messages", "claims", "bytes", "findings": [{"kind", "count", "examples": [{"where", "id", "note", "excerpt"}]}]}.`
}

// Run audits a file, or the memory of one user.
func (c *auditCmd) Run(a *app) (err error) {
	if c.Examples < 1 {
		return &usageError{"--examples must be at least 1"}
	}
	opts := audit.Options{Examples: c.Examples}
	if c.Stream {
		opts.Format = transfer.FormatStream
	}
	var report *audit.Report
	switch c.Path {
	case "":
		report, err = auditMemory(a, opts)
	case "-":
		report, err = audit.Read(a.ctx, &interruptible{a.ctx, a.stdin}, opts)
	default:
		report, err = auditFile(a, c.Path, opts)
	}
	if report == nil || report.Messages+report.Claims == 0 && err != nil {
		return err
	}
	return errors.Join(showAudit(a, report), err)
}

// auditFile audits a history, or a memory: both may be SQLite files.
func auditFile(a *app, name string, opts audit.Options) (*audit.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, &usageError{"cannot audit: " + err.Error()}
	}
	defer f.Close()
	in := bufio.NewReader(f)
	start, _ := in.Peek(16) // a fault is found again below
	if isNote(name) {
		opts.Format = transfer.FormatMarkdown
	}
	report, err := audit.Read(a.ctx, in, opts)
	if _, invalid := errors.AsType[*extension.InvalidError](err); invalid && string(start) == "SQLite format 3\x00" {
		a.db = name
		return auditMemory(a, opts)
	}
	if err != nil {
		err = &fileError{name, err}
	}
	return report, err
}

// auditMemory audits a user's memory as its export shows it.
func auditMemory(a *app, opts audit.Options) (report *audit.Report, err error) {
	x, err := a.open(true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	r, w := io.Pipe()
	exported := make(chan error, 1)
	go func() {
		out := bufio.NewWriter(w)
		_, err := x.Export(a.ctx, out, a.scope())
		err = errors.Join(err, out.Flush())
		_ = w.CloseWithError(err) // never fails
		exported <- err
	}()
	report, err = audit.Read(a.ctx, r, opts)
	_ = r.Close() // never fails
	if fault := <-exported; fault != nil && !errors.Is(fault, io.ErrClosedPipe) {
		return nil, fault
	}
	return report, err
}

func showAudit(a *app, r *audit.Report) error {
	if a.json {
		return a.printJSON(r)
	}
	p := a.page()
	rows := make([][]string, len(r.Findings))
	for i, f := range r.Findings {
		rows[i] = []string{string(f.Kind), strconv.Itoa(f.Count)}
	}
	p.say("%s and %s read (%s).", count(r.Messages, "message", "messages"), count(r.Claims, "claim", "claims"), r.Format)
	p.table("", rows)
	for _, f := range r.Findings {
		if f.Count == 0 {
			continue
		}
		p.line("")
		p.line("%s", p.in(bold, string(f.Kind)))
		for _, e := range f.Examples {
			shown := e.Where + ": " + e.Note
			if e.Text != "" {
				shown += ": “" + e.Text + "”"
			}
			p.body("  ", "    ", oneLine(shown, 240))
		}
		if more := f.Count - len(f.Examples); more > 0 {
			p.line("  and %d more; see --examples", more)
		}
	}
	return p.err
}
