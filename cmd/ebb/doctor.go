package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/cells"
)

type doctorCmd struct {
	File string `arg:"" optional:"" type:"memory" help:"The file to check (default: that of --db)."`

	Repair            bool `help:"Copy the file, rebuild what is derived from other rows, and report the changes."`
	AcknowledgeLosses bool `help:"Acknowledge the losses found in the file, so that they are no longer reported."`
}

// Help documents the JSON.
func (doctorCmd) Help() string {
	return `Changes nothing without --repair or --acknowledge-losses. --repair copies the file, then rebuilds indexes, the text index and counts from its rows; stop every program that uses the file first. Lost rows need a backup (ebb restore). The exit code is 0 for a healthy file, with or without warnings, 4 for a file or server memory that is damaged, no memory, or of an ebb that this one cannot read, 2 for a malformed name, and 1 for what could not be examined, such as a file without permission to read it or a server that is down.

With --json: {"path", "healthy", "refused", "checks": [{"name", "state": "ok"|"warning"|"damaged"|"skipped", "detail", "fix"}]}; with --repair {"path", "copy", "changed": [{"name", "changed", "detail"}], "after": the same as without}.`
}

func (c *doctorCmd) Run(a *app) error {
	path := cmp.Or(c.File, a.db)
	if c.AcknowledgeLosses {
		if err := acknowledgeLosses(a, path); err != nil {
			return err
		}
	}
	if c.Repair {
		return repair(a, path)
	}
	d, err := doctor.Diagnose(a.ctx, path, a.key)
	if errors.Is(err, extension.ErrNotFound) {
		return missingFile(path)
	}
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(d)
	} else {
		p := a.page()
		p.diagnosis(d)
		err = p.Err
	}
	shown := extension.Redacted(path)
	switch {
	case err != nil || d.Healthy:
		return err
	case d.Damaged():
		return &damagedError{shown + " is damaged; the checks above say what to do"}
	case d.OtherVersion():
		return &damagedError{shown + " is of another version of ebb; the checks above say what to do"}
	}
	return errors.New(shown + " could not be examined; the checks above say what to do")
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
	report, err := doctor.Repair(a.ctx, path, a.key)
	switch {
	case errors.Is(err, extension.ErrNotFound):
		return missingFile(path)
	case report == nil:
		return err
	}
	if a.json {
		return errors.Join(a.printJSON(report), err)
	}
	p := a.page()
	for _, r := range report.Changed {
		p.Body("  "+p.In(cells.Warm, r.Name)+"  ", "    ", fmt.Sprintf("%d %s", r.Changed, r.Detail))
	}
	if report.Copy != "" {
		p.Line("The file as it was before is %s.", report.Copy)
	}
	switch {
	case report.After.Healthy && len(report.Changed) == 0:
		p.Line("%s", p.In(cells.Good, "Healthy; nothing was changed."))
	case report.After.Healthy:
		p.Line("%s", p.In(cells.Good, "Healthy now."))
	default:
		p.diagnosis(report.After)
	}
	return errors.Join(p.Err, err)
}

func (p *page) diagnosis(d *doctor.Diagnosis) {
	p.Line("%s", p.In(cells.Bold, d.Path))
	if d.Refused != "" {
		p.Body("  "+p.In(cells.Red, "refused")+"  ", "           ", d.Refused)
	}
	colours := map[doctor.State]string{
		doctor.OK: cells.Good, doctor.Warning: cells.Warm, doctor.Damaged: cells.Red, doctor.Skipped: cells.Dim,
	}
	warnings := 0
	for _, c := range d.Checks {
		if c.State == doctor.Warning {
			warnings++
		}
		p.Line("  %s%s", p.In(colours[c.State], fmt.Sprintf("%-9s", c.State)), c.Name)
		if c.Detail != "" {
			p.Body("           ", "           ", c.Detail)
		}
		if c.Fix != "" {
			p.Body("           fix: ", "                ", c.Fix)
		}
	}
	switch {
	case d.Damaged():
		p.Line("%s", p.In(cells.Red, "Damaged."))
	case !d.Healthy:
		p.Line("%s", p.In(cells.Warm, "Not examined."))
	case warnings > 0:
		p.Line("%s", p.In(cells.Good, "Healthy, with "+cells.Count(warnings, "warning", "warnings")+"."))
	default:
		p.Line("%s", p.In(cells.Good, "Healthy."))
	}
}
