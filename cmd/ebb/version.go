package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/ebbmem/ebb/internal/build"
	"github.com/ebbmem/ebb/internal/manual"
)

type versionCmd struct{}

func (versionCmd) Run(a *app) error {
	v := build.Read()
	if a.json {
		return a.printJSON(v)
	}
	_, err := fmt.Fprintln(a.stdout, v)
	return err
}

type manCmd struct {
	Folder string `arg:"" type:"path" help:"The folder."`
}

// Run implements the command.
func (c *manCmd) Run(a *app, parsed *kong.Context) error {
	pages, err := manual.Write(parsed.Model, build.Read().Version, c.Folder)
	if err != nil {
		return err
	}
	a.tell(fmt.Sprintf("%d pages in %s", pages, c.Folder))
	return nil
}
