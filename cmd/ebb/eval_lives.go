package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/internal/measure"
)

// options are how lives and streams are measured, by a profile.
func (c *evalCmd) options(a *app, of profile) measure.Options {
	return measure.Options{
		Config: func() (*extension.Config, error) {
			cfg := of.config()
			cfg.CoreMemory.ProfileTokens = cmp.Or(c.Core, cfg.CoreMemory.ProfileTokens)
			return cfg, c.connect(cfg)
		},
		Await: c.await,
		Progress: func(steps int, what string) (step, done func()) {
			bar := a.bar(int64(steps), what, false)
			return func() { _ = bar.Add(1) }, func() { _ = bar.Clear() } // they only draw
		},
	}
}

// runLives measures the lives of a folder.
func (c *evalCmd) runLives(a *app) error {
	lives, err := evalset.LoadLives(c.Dir)
	if err != nil {
		return &usageError{err.Error()}
	}
	v, err := measure.Lives(a.ctx, lives, c.options(a, a.profile))
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(v)
	}
	return a.printLives(v)
}

// runTeam measures the stream of a team, by ThreeTier unless another profile was
// named.
func (c *evalCmd) runTeam(a *app) error {
	named, err := profileNamed(cmp.Or(a.asked, "threetier"))
	if err != nil {
		return err
	}
	set, err := evalset.LoadTiered(c.Dir)
	if err != nil {
		return &usageError{err.Error()}
	}
	v, err := measure.Team(a.ctx, set, filepath.Base(filepath.Clean(c.Dir)), c.options(a, named))
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(v)
	}
	return a.printTeam(v)
}

func (a *app) printLives(v *measure.LivesView) error {
	p := a.page()
	print := func(figures []measure.LifeFigure) {
		rows := [][]string{{"kind", "day", "    n", "present", "stale", "evidence", "tokens", "memories"}}
		for _, f := range figures {
			day := "own"
			if f.Day > 0 {
				day = fmt.Sprint(f.Day)
			}
			rows = append(rows, []string{
				f.Kind, day, fmt.Sprintf("%5d", f.Questions), fmt.Sprintf("%7.1f", 100*f.Present), fmt.Sprintf("%5.1f", 100*f.Stale),
				fmt.Sprintf("%8.1f", 100*f.Evidence), fmt.Sprintf("%6.0f", f.Tokens), fmt.Sprintf("%8.1f", f.Memories),
			})
		}
		p.Table("  ", rows)
	}
	forgot := func(f measure.Forgetting) {
		if f.Requests > 0 {
			p.Line("  Asked to forget: %d times; carried out for the words alone: %d, for the agent's call: %d; other messages forgotten: %d.",
				f.Requests, f.Words, f.Agent, f.Mistaken)
		}
	}
	for _, l := range v.Lives {
		p.Line("%s: %s in %.1f s.", l.Life, cells.Count(l.Messages, "message", "messages"), l.Seconds)
		print(l.Figures)
		forgot(l.Forgetting)
		p.Line("")
	}
	if len(v.Lives) > 1 {
		p.Line("All lives:")
		print(v.Total)
		forgot(v.Forgetting)
	}
	return p.Err
}

func (a *app) printTeam(v *measure.TeamView) error {
	p := a.page()
	p.Line("%s: %s, %s of documents, %s that can be answered.", v.Set, cells.Count(v.Entries, "entry", "entries"),
		cells.Count(v.Documents, "part", "parts"), cells.Count(v.Questions, "question", "questions"))
	p.Line("")
	rows := [][]string{{"percent answered", "    n", "tools", "plain FTS5"}}
	for _, c := range append(slices.Clone(v.Categories), measure.TeamCategory{Name: "all", Questions: v.Questions, Recall: v.Recall, Plain: v.Plain}) {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%5d", c.Questions), fmt.Sprintf("%5.1f", 100*c.Recall), fmt.Sprintf("%5.1f", 100*c.Plain)})
	}
	p.Table("", rows)
	p.Line("")
	if v.CoreTokens > 0 {
		p.Line("core memory: %d tokens; %s without authority, for all that an agent tried (%d times)", v.CoreTokens, cells.Count(v.Unauthorised, "change", "changes"), v.Attempts)
	}
	p.Line("missed: %s", strings.Join(v.Missed, " "))
	return p.Err
}
