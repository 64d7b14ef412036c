package main

import (
	"errors"
	"fmt"
)

type consolidateCmd struct{}

// Help documents the JSON.
func (consolidateCmd) Help() string {
	return `Runs the stages that need no model, for one user. Running it again changes nothing more.

With --json: the run's report, stage by stage.`
}

func (consolidateCmd) Run(a *app) (err error) {
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	if err := a.scope().Validate(); err != nil {
		return err
	}
	if err := x.WaitIdle(a.ctx); err != nil {
		return err
	}
	run, err := x.Consolidate(a.ctx, a.scope())
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(run)
	}
	_, err = fmt.Fprintln(a.stdout, run.Summary())
	return err
}
