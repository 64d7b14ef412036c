package redact

import (
	"maps"
	"slices"
)

// Kinds lists the names of all kinds, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(names)) }
