package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// versionInfo is the shape of `ebb version --json`.
type versionInfo struct {
	Version  string `json:"version"`            // of the module; "(devel)" when built from a checkout
	Revision string `json:"revision,omitempty"` // the commit
	Modified bool   `json:"modified,omitempty"` // whether the checkout had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (versionCmd) Run(a *app) error {
	v := readVersion()
	if a.json {
		return a.printJSON(v)
	}
	_, err := fmt.Fprintln(a.stdout, v)
	return err
}

// String is the version in one line.
func (v versionInfo) String() string {
	line := "ebb " + v.Version
	if v.Revision != "" {
		line += " (" + v.Revision[:min(12, len(v.Revision))]
		if v.Modified {
			line += ", modified"
		}
		line += ")"
	}
	return line + ", " + v.Go + ", " + v.Platform
}

func readVersion() versionInfo {
	v := versionInfo{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if build.Main.Version != "" {
		v.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
