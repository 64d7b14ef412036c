package main

import (
	"errors"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/tenants"
	"github.com/ebbmem/ebb/internal/cells"
)

type tenantsCmd struct {
	Folder string `arg:"" type:"path" help:"The folder with the tenants' files."`
}

// Help documents the JSON.
func (tenantsCmd) Help() string {
	return `File names do not reveal tenants, so every file is opened to read its tenant's name. A file that cannot be opened, or has no user yet, is listed without a name.

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
		name := p.In(cells.Dim, "not known")
		if t.Known {
			name = cells.OneLine(t.Tenant, 60)
		}
		rows = append(rows, []string{name, cells.Size(t.Bytes), p.Moment(t.Used), t.File})
	}
	if len(found) == 0 {
		p.Line("No tenant yet.")
	} else {
		p.Table("", rows)
	}
	return errors.Join(p.Err, faults)
}
