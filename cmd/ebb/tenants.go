package main

import (
	"errors"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/tenants"
)

type tenantsCmd struct {
	Folder string `arg:"" type:"path" help:"The folder that a host keeps its tenants' files in."`
}

// Help documents the JSON.
func (tenantsCmd) Help() string {
	return `The names of the files tell nothing of the tenants; theirs stand in the files alone, so each is opened to look. A file that cannot be opened, or in which nobody has a memory yet, is listed without a name.

With --json: {"tenants": [{"tenant", "known", "file", "bytes", "used"}]}.`
}

func (c *tenantsCmd) Run(a *app) (err error) {
	d, err := tenants.Open(a.ctx, c.Folder, &tenants.Config{Memory: &extension.Config{ReadOnly: true, Key: a.key}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(a.ctx)) }()
	found, faults := d.Tenants(a.ctx)
	if a.json {
		if found == nil {
			found = []tenants.File{}
		}
		return errors.Join(a.printJSON(struct {
			Tenants []tenants.File `json:"tenants"`
		}{found}), faults)
	}
	p := a.page()
	rows := [][]string{{"tenant", "size", "last written", "file"}}
	for _, t := range found {
		name := p.in(dim, "not known")
		if t.Known {
			name = oneLine(t.Tenant, 60)
		}
		rows = append(rows, []string{name, size(t.Bytes), p.moment(t.Used), t.File})
	}
	if len(found) == 0 {
		p.line("No tenant yet.")
	} else {
		p.table("", rows)
	}
	return errors.Join(p.err, faults)
}
