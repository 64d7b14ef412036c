package main

import (
	"errors"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/migrate"
	"github.com/ebbmem/ebb/internal/cells"
)

type migrateCmd struct {
	To string `arg:"" type:"memory" help:"The memory to copy to: a file, or postgres://…"`
}

// Help says what is copied, and documents the JSON.
func (migrateCmd) Help() string {
	return `Copies all users of the memory at --db to another one, from a file to a server or back, and compares their exports. Stop what writes to either. An interrupted copy goes on when it is repeated.

With --json: {"users", "known"}.`
}

// Run copies a memory.
func (c *migrateCmd) Run(a *app) error {
	from, err := a.open(true)
	if err != nil {
		return err
	}
	defer from.Close(a.ctx)
	cfg := &extension.Config{NoBackground: true}
	if !extension.IsServer(c.To) {
		cfg.Key = a.key
	}
	to, err := extension.Open(a.ctx, c.To, cfg)
	if err != nil {
		return err
	}
	report, err := migrate.Run(a.ctx, from, to)
	if err = errors.Join(err, to.Close(a.ctx)); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	p := a.page()
	p.Say("%s in both, of which %d were there already", cells.Count(int64(report.Users), "user", "users"), report.Known)
	return p.Err
}
