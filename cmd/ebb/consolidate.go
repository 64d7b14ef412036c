package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type consolidateCmd struct {
	provider
	DryRun bool `name:"dry-run" help:"Show every proposal and change nothing (the model is still called)."`

	MaxCalls    int           `default:"500" placeholder:"N" help:"Maximum number of model calls (default 500; --max-calls=-1: unlimited)."`
	MaxTokens   int           `placeholder:"N" help:"Maximum number of tokens, input and output together (default: unlimited)."`
	MaxTime     time.Duration `default:"1h" placeholder:"TIME" help:"Start no call after this time, such as 90s or 20m (default 1h)."`
	MaxCost     float64       `placeholder:"SUM" help:"Maximum cost, in the currency of the prices (default: unlimited)."`
	PriceInput  float64       `placeholder:"SUM" help:"Price of a million input tokens."`
	PriceOutput float64       `placeholder:"SUM" help:"Price of a million output tokens."`
}

// Help documents the JSON.
func (consolidateCmd) Help() string {
	return `Runs a night for one user. Running it again changes nothing more. A model is called only with --provider, --model or --base-url, whatever the environment variables are, so messages do not leave the machine otherwise. Work that exceeds the budget waits for the next night. Ctrl-C interrupts the night between two steps, and the next ebb consolidate resumes it. ebb undo reverts a night.

--dry-run works on a temporary copy and shows each proposal with its status, reason and text.

With --json: the run's report {"run_id", "cause", "state", "took_ns", "usage": {"calls", "input_tokens", "output_tokens", "cost", "faults"}, "stages": [{"name", "counts", "outcomes": [{"kind", "memory", "status", "reason"}], "usage", "prompts", "out_of_budget", "error"}]}; with --dry-run each outcome has its "text".`
}

// named reports that a model was asked for on the command line.
func (p *provider) named() bool {
	return p.Model != "" || p.BaseURL != "" || (p.Provider != "auto" && p.Provider != "")
}

func (c *consolidateCmd) Run(a *app) (err error) {
	bar := a.bar(-1, "consolidating", false)
	cfg := a.profile.config()
	cfg.Night.NoSchedule, cfg.NoBackground, cfg.Location = true, c.DryRun, a.zone()
	cfg.Night.Budget = extension.Budget{Calls: c.MaxCalls, Tokens: c.MaxTokens, Time: c.MaxTime, Cost: c.MaxCost}
	cfg.Night.Prices = extension.Prices{Input: c.PriceInput, Output: c.PriceOutput}
	cfg.Hooks.OnProgress = func(p extension.Progress) {
		if p.Stage == "" {
			return
		}
		bar.ChangeMax(p.Stages * 100)
		bar.Describe(cells.OneLine(p.Stage, 30))
		done := p.StagesDone * 100
		if p.Steps > 0 {
			done += 100 * p.StepsDone / p.Steps
		}
		_ = bar.Set(done) // it only draws
	}
	switch {
	case c.MaxCalls == 0 || c.MaxCalls < -1:
		return &usageError{"--max-calls must be at least 1, or -1 (as --max-calls=-1) for no limit; without --model no model is called"}
	case c.MaxTime <= 0:
		return &usageError{"--max-time must be positive, such as 90s or 20m; without --model no model is called"}
	case c.MaxTokens < 0 || c.MaxCost < 0:
		return &usageError{"--max-tokens and --max-cost must not be negative; without them there is no limit"}
	}
	if c.MaxCost != 0 && c.PriceInput == 0 && c.PriceOutput == 0 {
		return &usageError{"--max-cost needs --price-input and --price-output: what a million tokens cost"}
	}
	if c.named() {
		if cfg.Model, _, err = c.connect(); err != nil {
			return err
		}
	}
	x, err := a.openExistingWith(cfg)
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
	night := x.Consolidate
	if c.DryRun {
		night = x.ConsolidateDry
	}
	report, err := night(a.ctx, a.scope())
	_ = bar.Clear() // it only draws
	if errors.Is(err, context.Canceled) && a.ctx.Err() != nil {
		if c.DryRun {
			return &interruptedError{"nothing was changed"}
		}
		return &interruptedError{"the night is complete up to where it stopped, and the next ebb consolidate goes on there"}
	}
	if report == nil {
		return err
	}
	return errors.Join(c.show(a, report), err)
}

func (c *consolidateCmd) show(a *app, report *extension.Report) error {
	switch {
	case a.json && c.DryRun:
		return a.printJSON(proposed(report))
	case a.json:
		return a.printJSON(report)
	}
	p := a.page()
	if c.DryRun {
		p.proposed(report)
	}
	p.Say("%s", report.Summary())
	if report.Changes() == 0 && !c.DryRun {
		p.Say("Nothing was changed.")
	}
	if !c.named() {
		p.Say("No model was named, so nothing was drawn from messages by one; --model NAME does it.")
	}
	if asked := usage(report.Usage); asked != "" {
		p.Note(cells.Dim, "", asked)
	}
	if report.RunID != "" && report.Changes() > 0 {
		p.Note(cells.Dim, "", "to revert: ebb undo "+report.RunID)
	}
	return p.Err
}

// usage tells what was asked of a model; "" for nothing.
func usage(u ask.Usage) string {
	if u == (ask.Usage{}) {
		return ""
	}
	told := fmt.Sprintf("%s, %d tokens in, %d out", cells.Count(u.Calls, "call", "calls"), u.InputTokens, u.OutputTokens)
	if u.Cost > 0 {
		told += fmt.Sprintf(", cost %.4f", u.Cost)
	}
	if u.Faults > 0 {
		told += ", " + cells.Count(u.Faults, "fault", "faults")
	}
	return told
}

// proposedView is the shape of ebb consolidate --dry-run --json: the report
// with the texts of its proposals.
type proposedView struct {
	*extension.Report

	Stages []proposedStage `json:"stages"`
}

type proposedStage struct {
	extension.StageReport

	Outcomes []proposedOutcome `json:"outcomes,omitempty"`
}

type proposedOutcome struct {
	extension.Outcome

	Text string `json:"text,omitempty"`
}

func proposed(report *extension.Report) proposedView {
	v := proposedView{Report: report, Stages: []proposedStage{}}
	for _, s := range report.Stages {
		stage := proposedStage{StageReport: s}
		for _, o := range s.Outcomes {
			stage.Outcomes = append(stage.Outcomes, proposedOutcome{o, o.Text})
		}
		v.Stages = append(v.Stages, stage)
	}
	return v
}

func (p *page) proposed(report *extension.Report) {
	colours := map[string]string{"applied": cells.Good, "waiting": cells.Warm, "quarantined": cells.Warm, "rejected": cells.Red, "known": cells.Dim}
	for _, s := range report.Stages {
		if len(s.Outcomes) == 0 {
			continue
		}
		p.Line("%s", p.In(cells.Bold, s.Name))
		for _, o := range s.Outcomes {
			said := o.Kind
			if o.Memory != "" {
				said += " " + o.Memory
			}
			if o.Text != "" {
				said += ": " + o.Text
			}
			if o.Reason != "" {
				said += " – " + o.Reason
			}
			p.Body("  "+p.In(colours[string(o.Status)], fmt.Sprintf("%-11s", o.Status)), "             ", said)
		}
	}
}
