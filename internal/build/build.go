// Package build says which build of ebb a program is.
package build

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Info is a build, in the form of `ebb version --json`.
type Info struct {
	Version  string `json:"version"`            // of the module; "(devel)" when built from a checkout
	Revision string `json:"revision,omitempty"` // the commit
	Modified bool   `json:"modified,omitempty"` // whether the checkout had changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// String is the version in one line.
func (v Info) String() string {
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

// version is that of a release: -ldflags "-X …/internal/build.version=v1.2.3". Empty
// leaves it to Go, which knows it of a module and of a checkout with a tag.
var version string

// Read returns the build of the running program.
func Read() Info {
	v := Info{Version: cmp.Or(version, "(devel)"), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if version == "" && build.Main.Version != "" {
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
