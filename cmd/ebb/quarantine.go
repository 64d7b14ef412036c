package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type quarantineCmd struct {
	List    quarantineListCmd    `cmd:"" default:"withargs" help:"List quarantined memories, newest first."`
	Release quarantineReleaseCmd `cmd:"" help:"Release a memory, so that it is used like any other of its origin."`
}

// Help describes quarantine.
func (quarantineCmd) Help() string {
	return `Quarantine holds text that reads like instructions to a model and is not the user's own, and claims of a model without a supporting source. Searches find it, marked as quarantined; it is never injected automatically, and nights do not read it. A release is recorded in the audit and does not raise trust. Ids may be abbreviated as long as they are unique.`
}

type quarantineListCmd struct {
	Limit    int  `default:"50" help:"Maximum number for each user."`
	AllUsers bool `name:"all-users" help:"For every user of the file, or of --tenant."`
}

// Help documents the JSON.
func (quarantineListCmd) Help() string {
	return `With --json: {"quarantined": [{"id", "reason", "origin", "trust", "kind", "content", "at"}]}, with --all-users each with its "user" and "tenant".`
}

// asideJSON is a quarantined memory.
type asideJSON struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	Origin  string `json:"origin"`
	Trust   int    `json:"trust"`
	Kind    string `json:"kind"`
	Content string `json:"content"`
	At      string `json:"at"`
	User    string `json:"user,omitempty"`
	Tenant  string `json:"tenant,omitempty"`
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
	all := []asideJSON{}
	p := a.page()
	list := func(of *app, user, tenant string) error {
		aside, err := x.Quarantined(of.ctx, of.scope(), c.Limit)
		for _, m := range aside {
			all = append(all, asideJSON{
				m.UID, m.WhyQuarantined(), string(m.Origin), int(m.Trust), string(m.Kind), m.Content,
				m.EventTime.UTC().Format(time.RFC3339), user, tenant,
			})
			if a.json {
				continue
			}
			p.Parts("  ", p.In(cells.Bold, m.UID), p.Moment(m.EventTime.Time), fmt.Sprintf("%s, trust %d", m.Origin, m.Trust))
			if user != "" {
				p.Line("  of      %s", cells.Printable(nameUser(extension.User{Name: user, Tenant: tenant})))
			}
			p.Body("  because ", "          ", m.WhyQuarantined())
			p.Body("  says    ", "          ", cells.OneLine(m.Content, 160))
		}
		return err
	}
	if c.AllUsers {
		err = a.eachUser(x, func(u extension.User, of *app) error { return list(of, u.Name, u.Tenant) })
	} else {
		err = list(a, "", "")
	}
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(struct {
			Quarantined []asideJSON `json:"quarantined"`
		}{all})
	case len(all) == 0:
		p.Line("Nothing is quarantined.")
	}
	return p.Err
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
	return beginning(ids, start, "quarantined memory", "ebb quarantine")
}
