package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type runsCmd struct {
	Limit int `short:"n" default:"20" placeholder:"N" help:"Maximum number of runs (default 20; 0: all)."`
}

// Help documents the JSON.
func (runsCmd) Help() string {
	return `The ledger of one user's memory, newest first: nights, messages that changed something (cause said), and changes by the host such as ebb forget (cause host). ebb undo reverts a run.

With --json: {"runs": [{"id", "cause", "local_day", "state": "running"|"interrupted"|"done"|"failed"|"undone", "started_at", "finished_at", "stages", "error", "calls", "input_tokens", "output_tokens", "cost", "faults"}]}.`
}

func (c *runsCmd) Run(a *app) (err error) {
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	runs, err := x.Runs(a.ctx, a.scope(), c.Limit)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Runs []extension.Run `json:"runs"`
		}{append([]extension.Run{}, runs...)})
	}
	p := a.page()
	if len(runs) == 0 {
		p.Line("No night yet, and no message that changed anything.")
	}
	for i := range runs {
		if err := p.run(&runs[i]); err != nil {
			return err
		}
	}
	return p.Err
}

func (p *page) run(run *extension.Run) error {
	report, err := extension.RunReport(run)
	if err != nil {
		return err
	}
	colour := map[string]string{"done": cells.Good, "failed": cells.Red, "running": cells.Warm, "interrupted": cells.Warm, "undone": cells.Dim}[run.State]
	cause := run.Cause
	if run.LocalDay != "" {
		cause += " of " + run.LocalDay
	}
	p.Parts("  ", p.In(cells.Bold, run.UID), p.Moment(run.StartedAt.Time), cause, p.In(colour, run.State))
	p.Body("  ", "  ", report.Summary())
	if asked := usage(report.Usage); asked != "" {
		p.Note(cells.Dim, "  ", asked)
	}
	if run.Error != "" {
		p.Body("  "+p.In(cells.Red, "failed")+" ", "  ", run.Error)
	}
	return nil
}

type undoCmd struct {
	ID   string `arg:"" optional:"" name:"run" help:"The id of the run, or its beginning (ebb runs prints ids)."`
	Last bool   `help:"Undo the newest run that is not undone."`
}

// Help documents the JSON.
func (undoCmd) Help() string {
	return `Reverts everything a night, a message or ebb forget did. What was corrected or protected since, or what later changes depend on, stays and is listed with the reason.

With --json: {"run_id", "changes": number reverted, "kept": [{"record", "id", "operation", "reason"}]}.`
}

func (c *undoCmd) Run(a *app) (err error) {
	if (c.ID == "") == !c.Last {
		return &usageError{"name the run to undo, or give --last; ebb runs prints ids"}
	}
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	runs, err := x.Runs(a.ctx, a.scope(), 0)
	if err != nil {
		return err
	}
	id := ""
	if c.Last {
		for i := range runs {
			if runs[i].State != "undone" {
				id = runs[i].UID
				break
			}
		}
		if id == "" {
			return &notFoundError{"there is no run to undo"}
		}
	} else {
		ids := make([]string, len(runs))
		for i := range runs {
			ids[i] = runs[i].UID
		}
		if id, err = beginning(ids, c.ID, "run", "ebb runs"); err != nil {
			return err
		}
	}
	undone, err := x.Undo(a.ctx, a.scope(), id)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(undone)
	}
	p := a.page()
	p.Say("%s of run %s reverted.", cells.Count(undone.Changes, "change", "changes"), undone.Run)
	if len(undone.Kept) > 0 {
		p.Line("%s stayed:", cells.Count(len(undone.Kept), "change", "changes"))
		for _, k := range undone.Kept {
			p.Body("  ", "    ", strings.TrimSpace(fmt.Sprintf("%s in %s %s", k.Operation, k.Record, k.ID))+": "+k.Reason)
		}
	}
	return p.Err
}

// beginning finds the one id that begins with the given text; what and where
// are for the sentence when there is none.
func beginning(ids []string, start, what, where string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == start {
			return id, nil
		}
		if start != "" && strings.HasPrefix(id, strings.ToLower(start)) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", &notFoundError{fmt.Sprintf("no %s %q of this user; %s prints ids", what, start, where)}
	case 1:
		return found[0], nil
	}
	return "", &usageError{fmt.Sprintf("%q begins %d ids of a %s; give more of it, such as %s", start, len(found), what, found[0])}
}
