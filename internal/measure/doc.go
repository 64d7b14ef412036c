// Package measure plays labelled lives and a team's stream through a memory, as a
// host would, and says what came of it: what stood before the model ([Lives]), which
// questions the tools answered ([Team]). [LearnFacts] adds the facts of a labelled set.
// The views are what ebb eval --json prints.
package measure

import (
	"context"

	"github.com/ebbmem/ebb/extension"
)

// Options say how a memory is measured.
type Options struct {
	// Config returns what a memory is opened with. Its clock, zone and schedule are
	// the measurement's.
	Config func() (*extension.Config, error)
	// Await waits until a search for the question is not degraded.
	Await func(ctx context.Context, x *extension.Extension, scope extension.Scope, question string) error
	// Progress begins to draw how far something of so many steps has got.
	Progress func(steps int, what string) (step, done func())
}
