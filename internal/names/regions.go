package names

import (
	_ "embed"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

//go:embed regions.txt
var regionLines string

var regions = func() map[string]bool {
	set := make(map[string]bool)
	for line := range strings.Lines(regionLines) {
		set[text.Fold(line)] = true
	}
	return set
}()

// IsRegion reports whether a folded name is the English name of a country, a
// continent or a state of the United States.
func IsRegion(folded string) bool { return regions[strings.TrimPrefix(folded, "the ")] }
