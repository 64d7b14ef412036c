package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/extension"
)

type doctorCmd struct {
	File string `arg:"" optional:"" type:"path" help:"The file to check (default: that of --db)."`

	Repair            bool   `help:"Mend what can be mended, after copying the file; says what it changed." xor:"what"`
	Salvage           string `type:"path" placeholder:"NEW" help:"Save what can be read of a badly damaged file into this new file." xor:"what"`
	AcknowledgeLosses bool   `help:"Take note of what the file was found to have lost, so that it is said no more."`
}

// Help documents the JSON.
func (doctorCmd) Help() string {
	return `Changes nothing, unless --repair or --acknowledge-losses is given. --repair makes indexes and the text index anew, journal entries from messages and messages from the journal, and removes or clears what points nowhere; it copies the file first. --salvage NEW reads what can be read of a file with lost pages into a new one, and says what it could not read; it does not touch the damaged file. Stop every program that uses it. Exits 0 for a healthy file, with or without warnings, 4 for one that is damaged, not a memory, or written by a newer ebb, and 1 for one that this user may not examine.

With --json: {"path", "healthy", "refused", "checks": [{"name", "state": "ok"|"warning"|"damaged"|"skipped", "detail", "fix"}]}; with --repair {"path", "copy", "changed": [{"name", "changed", "detail"}], "after": the same as without}; with --salvage {"path", "tables": [{"table", "read", "refused", "expected", "unreadable": [{"after", "through"}], "incomplete"}], "mended", "memories", "messages"}.`
}

func (c *doctorCmd) Run(a *app) error {
	path := c.File
	if path == "" {
		path = a.db
	}
	if c.AcknowledgeLosses {
		if err := acknowledgeLosses(a, path); err != nil {
			return err
		}
	}
	switch {
	case c.Repair:
		return repair(a, path)
	case c.Salvage != "":
		return salvage(a, path, c.Salvage)
	}
	d, err := extension.DiagnoseWithKey(a.ctx, path, a.key)
	if errors.Is(err, extension.ErrNotFound) {
		return &missingFileError{path}
	}
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(d)
	} else {
		p := a.page()
		p.diagnosis(d)
		err = p.err
	}
	switch {
	case err != nil || d.Healthy:
		return err
	case unseen(d):
		return errors.New(path + " could not be examined; the checks above say what to do")
	}
	return &damagedError{path + " is not well; the checks above say what to do"}
}

func acknowledgeLosses(a *app, path string) error {
	of := *a
	of.db, of.user = path, ""
	x, err := of.openExistingWith(&extension.Config{NoBackground: true})
	if err != nil {
		return err
	}
	_, err = x.AcknowledgeLosses(a.ctx)
	return errors.Join(err, x.Close(a.ctx))
}

func repair(a *app, path string) error {
	report, err := extension.Repair(a.ctx, path, a.key)
	switch {
	case errors.Is(err, extension.ErrNotFound):
		return &missingFileError{path}
	case report == nil:
		return err
	}
	if a.json {
		return errors.Join(a.printJSON(report), err)
	}
	p := a.page()
	for _, r := range report.Changed {
		p.body("  "+p.in(warm, r.Name)+"  ", "    ", fmt.Sprintf("%d %s", r.Changed, r.Detail))
	}
	if report.Copy != "" {
		p.line("The file as it was before is %s.", report.Copy)
	}
	switch {
	case report.After.Healthy && len(report.Changed) == 0:
		p.line("%s", p.in(good, "Healthy; nothing was changed."))
	case report.After.Healthy:
		p.line("%s", p.in(good, "Healthy now."))
	default:
		p.diagnosis(report.After)
	}
	return errors.Join(p.err, err)
}

func salvage(a *app, path, target string) error {
	report, err := extension.Salvage(a.ctx, path, target, a.key)
	if errors.Is(err, extension.ErrNotFound) {
		return &missingFileError{path}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	p := a.page()
	p.line("%s: %s, %s in the journal", report.Path, count(report.Memories, "memory", "memories"), count(report.Messages, "message", "messages"))
	whole := true
	for _, t := range report.Tables {
		lost := unread(t)
		whole = whole && lost == ""
		if lost != "" {
			p.body("  "+p.in(warm, t.Table)+"  ", "    ", fmt.Sprintf("%s read; %s", count(t.Read, "row", "rows"), lost))
		}
	}
	for _, r := range report.Mended {
		p.body("  "+p.in(dim, r.Name)+"  ", "    ", fmt.Sprintf("%d %s", r.Changed, r.Detail))
	}
	if whole {
		p.line("Every table was read to its end. Rows that damage has removed without a trace cannot be counted.")
	} else {
		p.line("%s", p.in(warm, "What could not be read is lost; a backup may have it."))
	}
	return p.err
}

// unread says what of a table could not be read; "" when nothing is known to be
// missing.
func unread(t extension.Salvaged) string {
	var parts []string
	if n := len(t.Unreadable); n > 0 {
		parts = append(parts, count(n, "span", "spans")+" of rows unreadable")
	}
	if t.Incomplete {
		parts = append(parts, "some of its rows unreadable")
	}
	if t.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d made no sense", t.Refused))
	}
	if t.Expected > t.Read+t.Refused {
		parts = append(parts, fmt.Sprintf("an index counts %d", t.Expected))
	}
	return strings.Join(parts, ", ")
}

// unseen reports that the examination ended before the file was read: nothing
// is known to be wrong with it.
func unseen(d *extension.Diagnosis) bool {
	return d.Refused != "" && len(d.Checks) > 0 && d.Checks[len(d.Checks)-1].State == extension.CheckSkipped
}

func (p *page) diagnosis(d *extension.Diagnosis) {
	p.line("%s", p.in(bold, d.Path))
	if d.Refused != "" {
		p.body("  "+p.in(red, "refused")+"  ", "           ", d.Refused)
	}
	colours := map[extension.CheckState]string{
		extension.CheckOK: good, extension.CheckWarning: warm, extension.CheckDamaged: red, extension.CheckSkipped: dim,
	}
	warnings := 0
	for _, c := range d.Checks {
		if c.State == extension.CheckWarning {
			warnings++
		}
		p.line("  %s%s", p.in(colours[c.State], fmt.Sprintf("%-9s", c.State)), c.Name)
		if c.Detail != "" {
			p.body("           ", "           ", c.Detail)
		}
		if c.Fix != "" {
			p.body("           fix: ", "                ", c.Fix)
		}
	}
	switch {
	case unseen(d):
		p.line("%s", p.in(warm, "Not examined."))
	case !d.Healthy:
		p.line("%s", p.in(red, "Not well."))
	case warnings > 0:
		p.line("%s", p.in(good, "Healthy, with "+count(warnings, "warning", "warnings")+"."))
	default:
		p.line("%s", p.in(good, "Healthy."))
	}
}
