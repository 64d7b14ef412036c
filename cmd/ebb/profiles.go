package main

import (
	"strings"

	"github.com/ebbmem/ebb/extension"
)

// profile is a published design that ebb can follow.
type profile struct {
	name   string
	config func() *extension.Config
}

// profiles are all there are, the default first.
var profiles = []profile{
	{"simple", extension.Simple},
	{"dual", extension.Dual},
	{"threetier", extension.ThreeTier},
	{"cognitive", extension.Cognitive},
	{"fourstores", extension.FourStores},
}

// profileNamed finds a profile; the empty name is the default.
func profileNamed(name string) (profile, error) {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		if p.name == name || name == "" {
			return p, nil
		}
		names[i] = p.name
	}
	return profile{}, &usageError{"--profile must be one of " + strings.Join(names, ", ")}
}
