package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type reflectCmd struct {
	provider
	Do      string `arg:"" optional:"" enum:"status,request,grant,draft,approve,reject" default:"status" help:"status, request, grant, draft, approve or reject (default status)."`
	Extra   int    `placeholder:"N" help:"request: tokens above the baseline of 8000."`
	Penalty int    `placeholder:"N" help:"request: tokens less, for mistakes."`
	Mistake string `placeholder:"TEXT" help:"request: which."`
	Verdict string `enum:"approve,bonus,reduce,forgive,penalty" default:"approve" help:"grant: approve, bonus, reduce, forgive or penalty (default approve)."`
	Amount  int    `placeholder:"N" help:"grant: tokens of a bonus, a reduction or a penalty."`
	Reason  string `placeholder:"TEXT" help:"request and grant: why."`
	History int    `placeholder:"N" help:"status: the last N reflections and rewards."`
}

// Help says how it goes, and documents the JSON.
func (reflectCmd) Help() string {
	return `A reflection is requested with its tokens, granted by the user, written by the model, approved by the user, and recorded; ebb undo takes that back. Nothing happens unless it is asked for. With --provider, --model or --base-url, grant has it written at once, and draft after an interruption. The profile is fourstores unless --profile or EBB_PROFILE names another.

With --json: {"state": "idle"|"requested"|"granted"|"drafted"|"recorded"|"rejected", "id", "at", "request": {"extra", "extra_reason", "penalty", "penalty_reason", "baseline", "tokens", "cost", "agent", "at"}, "grant": {"request", "verdict", "amount", "reason", "tokens"}, "draft": {"granted", "elements": [{"element", "text"}], "summary", "awareness", "patterns", "insights": [{"text", "importance", "sources"}], "through", "trust", "used"}, "run_id"}; with --history a list of them.`
}

// misplaced returns an error for a flag of another step, which would be ignored.
func (c *reflectCmd) misplaced() error {
	for _, flag := range []struct {
		given bool
		name  string
		steps []string
	}{
		{c.Extra != 0, "--extra", []string{"request"}},
		{c.Penalty != 0, "--penalty", []string{"request"}},
		{c.Mistake != "", "--mistake", []string{"request"}},
		{c.Reason != "", "--reason", []string{"request", "grant"}},
		{c.Verdict != "approve", "--verdict", []string{"grant"}},
		{c.Amount != 0, "--amount", []string{"grant"}},
		{c.History != 0, "--history", []string{"status"}},
	} {
		if flag.given && !slices.Contains(flag.steps, c.Do) {
			return &usageError{fmt.Sprintf("%s is for ebb reflect %s, and this is %s", flag.name, strings.Join(flag.steps, " and "), c.Do)}
		}
	}
	if c.History < 0 {
		return &usageError{"--history must be at least 1"}
	}
	return nil
}

// Run opens the memory by the profile with blocks for reflections.
func (c *reflectCmd) Run(a *app) (err error) {
	if err := c.misplaced(); err != nil {
		return err
	}
	named, err := profileNamed(cmp.Or(a.asked, "fourstores"))
	if err != nil {
		return err
	}
	cfg := named.config()
	cfg.Night.NoSchedule = true
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
	r, p := x.Reflections(), a.page()
	if c.History > 0 {
		all, err := r.History(a.ctx, a.scope(), c.History)
		if a.json && err == nil {
			return a.printJSON(append([]fourstores.Status{}, all...))
		}
		for i := range all {
			p.reflection(&all[i])
		}
		return errors.Join(err, p.Err)
	}
	s, err := c.step(a, x, r)
	switch {
	case errors.Is(err, extension.ErrNotFound):
		return &notFoundError{"no reflection waits for that; ebb reflect shows the open one"}
	case err != nil:
		return err
	case a.json:
		return a.printJSON(s)
	}
	p.reflection(s)
	return p.Err
}

// step takes the step that the user asked for.
func (c *reflectCmd) step(a *app, x *extension.Extension, r *fourstores.Reflections) (*fourstores.Status, error) {
	s, err := r.Status(a.ctx, a.scope())
	if err != nil {
		return nil, err
	}
	switch c.Do {
	case "request":
		return r.Request(a.ctx, a.scope(), fourstores.Request{Extra: c.Extra, ExtraReason: c.Reason, Penalty: c.Penalty, PenaltyReason: c.Mistake})
	case "grant":
		s, err = r.Grant(a.ctx, a.scope(), s.ID, fourstores.Grant{Verdict: fourstores.Verdict(c.Verdict), Amount: c.Amount, Reason: c.Reason})
		if err != nil || !c.named() {
			return s, err
		}
		fallthrough
	case "draft":
		if err := x.WaitIdle(a.ctx); err != nil {
			return nil, err
		}
		return r.Draft(a.ctx, a.scope(), s.ID)
	case "approve":
		return r.Approve(a.ctx, a.scope(), s.ID)
	case "reject":
		if err = r.Reject(a.ctx, a.scope(), s.ID); err == nil {
			s, err = r.Status(a.ctx, a.scope())
		}
	}
	return s, err
}

// reflection shows a reflection as far as it got.
func (p *page) reflection(s *fourstores.Status) {
	const indent = "          "
	if s.ID == "" {
		p.Line("No reflection was asked for yet; ebb reflect request does.")
		return
	}
	p.Parts("  ", p.In(cells.Bold, s.ID), p.Moment(s.At), string(s.State))
	if q := s.Request; q != nil {
		asks := fmt.Sprintf("%d tokens: baseline %d, extra %d (%s), penalty %d (%s)", q.Tokens, q.Baseline,
			q.Extra, cmp.Or(q.ExtraReason, "no reason given"), q.Penalty, cmp.Or(q.PenaltyReason, "none"))
		if q.Cost > 0 {
			asks += fmt.Sprintf("; costs about %.4f", q.Cost)
		}
		p.Body("  asks    ", indent, asks)
	}
	if g := s.Grant; g != nil {
		p.Body("  granted ", indent, fmt.Sprintf("%d tokens (%s) %s", g.Tokens, g.Verdict, g.Reason))
	}
	if d := s.Draft; d != nil {
		for _, e := range d.Elements {
			p.Line("")
			p.Body("  ", "  ", e.Text)
		}
		p.Line("")
		p.Body("  summary ", indent, cmp.Or(d.Summary, "none"))
		p.listed("  aware   ", d.Awareness)
		p.listed("  pattern ", d.Patterns)
		for _, i := range d.Insights {
			p.Body("  insight ", indent, i.Text)
		}
	}
	next := map[string]string{"requested": "ebb reflect grant", "granted": "ebb reflect draft", "drafted": "ebb reflect approve, or reject"}[string(s.State)]
	if next != "" {
		p.Note(cells.Dim, "", "waits for you: "+next)
	}
	if s.RunID != "" {
		p.Note(cells.Dim, "", "to revert: ebb undo "+s.RunID)
	}
}

func (p *page) listed(title string, texts []string) {
	for _, one := range texts {
		p.Body(title, "          ", one)
	}
}
