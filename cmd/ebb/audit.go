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
	"github.com/ebbmem/ebb/extension/markdown"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/cells"
)

type auditCmd struct {
	Path     string `arg:"" name:"file" optional:"" help:"A file that ebb import reads, a memory, or - for standard input (default: the memory of --db)."`
	Stream   bool   `help:"The file is a stream of a team's agents."`
	Actor    string `placeholder:"NAME" help:"List changes by this actor instead: model, host, approval, night, reflection, subagent, …"`
	Since    moment `placeholder:"TIME" help:"List changes from this time on instead (default with --actor: 90 days ago)."`
	Until    moment `placeholder:"TIME" help:"List changes before this time."`
	Limit    int    `default:"200" placeholder:"N" help:"The newest changes that are listed (default 200)."`
	Examples int    `default:"5" placeholder:"N" help:"Examples of each kind (default 5)."`
}

// Help says what is looked for, and documents the JSON.
func (auditCmd) Help() string {
	return `Stores nothing, changes nothing, and calls no model. Looks for: duplicates, the same text more than once; loops, what a program wrote three times or more, and memory blocks that were stored as messages; secrets, which are named and never shown; stale, statements that a later one replaces; instructions, texts written for a model. It finds what its rules know and no more.

With --actor or --since it lists instead who changed what and when, from the audit, which is never shortened and holds no texts. With --json: {"changes": [{"at", "actor", "operation", "record", "id", "run_id", "critical"}]}.

Otherwise with --json: {"format", "messages", "claims", "bytes", "findings": [{"kind", "count", "examples": [{"where", "id", "note", "excerpt"}]}]}.`
}

// Run audits a file, or the memory of one user.
func (c *auditCmd) Run(a *app) (err error) {
	if c.Examples < 1 {
		return &usageError{"--examples must be at least 1"}
	}
	if c.Actor != "" || c.Since.given() || c.Until.given() {
		return c.changes(a)
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
	if info, err := os.Stat(name); err == nil && (info.IsDir() || transfer.IsArchive(name)) {
		files, _, err := transfer.Folder(name)
		if err != nil || len(files) != 1 {
			return nil, &usageError{"cannot audit " + name + ": name one of its files"}
		}
		name = files[0]
	}
	f, _, err := transfer.OpenFile(name)
	if err != nil {
		return nil, &usageError{"cannot audit: " + err.Error()}
	}
	defer f.Close()
	in := bufio.NewReader(f)
	start, _ := in.Peek(16) // a fault is found again below
	if markdown.IsNote(name) {
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
	p.Say("%s and %s read (%s).", cells.Count(r.Messages, "message", "messages"), cells.Count(r.Claims, "claim", "claims"), r.Format)
	p.Table("", rows)
	for _, f := range r.Findings {
		if f.Count == 0 {
			continue
		}
		p.Line("")
		p.Line("%s", p.In(cells.Bold, string(f.Kind)))
		for _, e := range f.Examples {
			shown := e.Where + ": " + e.Note
			if e.Text != "" {
				shown += ": “" + e.Text + "”"
			}
			p.Body("  ", "    ", cells.OneLine(shown, 240))
		}
		if more := f.Count - len(f.Examples); more > 0 {
			p.Line("  and %d more; see --examples", more)
		}
	}
	return p.Err
}

// changes lists who changed what in a user's memory.
func (c *auditCmd) changes(a *app) (err error) {
	if c.Path != "" || c.Stream {
		return &usageError{"changes are those of the memory of --db; leave the file out"}
	}
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	all, err := audit.Changes(a.ctx, x, a.scope(), audit.ChangeFilter{Actor: c.Actor, Since: c.Since.at(a), Until: c.Until.at(a), Limit: c.Limit})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"changes": append([]audit.Change{}, all...)})
	}
	p := a.page()
	for _, one := range all {
		mark := ""
		if one.Critical {
			mark = p.In(cells.Warm, "⚠ CRITICAL")
		}
		p.Parts("  ", p.Moment(one.At), p.In(cells.Bold, cells.OneLine(one.Actor, 40)), one.Operation, one.Record, cells.OneLine(one.ID, 40), mark)
	}
	p.Say("%s.", cells.Count(len(all), "change", "changes"))
	return p.Err
}
