package main

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/cells"
)

// archive takes documents into the archive.
func (c *importCmd) archive(a *app) (err error) {
	if c.Stream || c.Restore || c.Session != "" {
		return &usageError{"--archive is for documents; leave out --stream, --restore and --session"}
	}
	if err := a.needUser(); err != nil {
		return err
	}
	cfg := &extension.Config{Night: extension.NightConfig{NoSchedule: true}}
	if err := c.connect(cfg); err != nil {
		return err
	}
	behind, end := untilLasting(a.ctx, cfg)
	defer end()
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	report, err := x.ImportArchive(a.ctx, a.scope(), c.Path, transfer.ArchiveOptions{Origin: eventbus.Origin(c.Origin), Retire: c.Retire})
	if err != nil {
		return err
	}
	if err := catchUp(behind, a, x); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	p := a.page()
	p.Say("%s read, %d unchanged: %s stored, %d retired.", cells.Count(report.Documents, "document", "documents"), report.Unchanged,
		cells.Count(report.Stored, "part", "parts"), report.Retired)
	for _, uri := range report.Gone {
		done := "is still found: --retire takes it out of search"
		if c.Retire {
			done = "is not found any more"
		}
		p.Say("%s is gone, and what it said %s", uri, done)
	}
	return p.Err
}
