package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/extension"
)

type quarantineCmd struct {
	List    quarantineListCmd    `cmd:"" default:"1" help:"List what is set aside, newest first."`
	Release quarantineReleaseCmd `cmd:"" help:"Let a memory be used like any other of its origin."`
}

// Help says what is set aside.
func (quarantineCmd) Help() string {
	return `What reads as if it were written for a model, and is not the user's own, is set aside, and so is what a model claims without a source that says it. Search finds it, marked; no model is shown it unasked and no night reads it. Releasing it is recorded in the audit and does not raise its trust. Ids may be cut short as long as they are unique.`
}

type quarantineListCmd struct {
	Limit int `default:"50" help:"How many at most."`
}

// Help documents the JSON.
func (quarantineListCmd) Help() string {
	return `With --json: {"quarantined": [{"id", "reason", "origin", "trust", "kind", "content", "at"}]}.`
}

// asideJSON is a memory that is set aside.
type asideJSON struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	Origin  string `json:"origin"`
	Trust   int    `json:"trust"`
	Kind    string `json:"kind"`
	Content string `json:"content"`
	At      string `json:"at"`
}

func (c *quarantineListCmd) Run(a *app) (err error) {
	if c.Limit < 1 {
		return &usageError{"--limit must be at least 1"}
	}
	x, err := a.open(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	aside, err := x.Quarantined(a.ctx, a.scope(), c.Limit)
	if err != nil {
		return err
	}
	if a.json {
		all := make([]asideJSON, len(aside))
		for i, m := range aside {
			all[i] = asideJSON{m.UID, m.WhyQuarantined(), string(m.Origin), int(m.Trust), string(m.Kind), m.Content, m.EventTime.UTC().Format(time.RFC3339)}
		}
		return a.printJSON(struct {
			Quarantined []asideJSON `json:"quarantined"`
		}{all})
	}
	p := a.page()
	if len(aside) == 0 {
		p.line("Nothing is set aside.")
	}
	for _, m := range aside {
		p.line("%s  %s  %s, trust %d", p.in(bold, m.UID), p.moment(m.EventTime.Time), m.Origin, m.Trust)
		p.body("  because ", "          ", m.WhyQuarantined())
		p.body("  says    ", "          ", oneLine(m.Content, 160))
	}
	return p.err
}

type quarantineReleaseCmd struct {
	ID string `arg:"" help:"The memory."`
}

// Help documents the JSON.
func (quarantineReleaseCmd) Help() string { return `With --json: {"id", "decision": "released"}.` }

// mostAside is among how many of the newest a shortened id is looked for.
const mostAside = 10_000

func (c *quarantineReleaseCmd) Run(a *app) (err error) {
	x, err := a.openExisting()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(a.ctx)) }()
	aside, err := x.Quarantined(a.ctx, a.scope(), mostAside)
	if err != nil {
		return err
	}
	id, err := asideID(aside, c.ID)
	if err != nil {
		return err
	}
	if err := x.Release(a.ctx, a.scope(), id); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			ID       string `json:"id"`
			Decision string `json:"decision"`
		}{id, "released"})
	}
	_, err = fmt.Fprintf(a.stdout, "%s released.\n", id)
	return err
}

func asideID(aside []extension.Record, start string) (string, error) {
	ids := make([]string, len(aside))
	for i, m := range aside {
		ids[i] = m.UID
	}
	return beginning(ids, start, "memory that is set aside", "ebb quarantine")
}
