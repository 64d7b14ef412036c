package main

import (
	"fmt"

	"github.com/ebbmem/ebb/internal/build"
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
