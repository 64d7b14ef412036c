package recall

import (
	"fmt"
	"strings"
)

// Explain prints in a few lines why the memory has its rank: its rank in each arm,
// and what every signal added to its score.
func (r Result) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d  score %.3f  relevance %.2f  %s %s\n", r.Rank, r.Score, r.Relevance, r.Memory.Kind, r.Memory.UID)
	if r.Why != "" {
		fmt.Fprintf(&b, "    here because it is %s\n", r.Why)
	}
	for _, a := range r.Arms {
		fmt.Fprintf(&b, "    found by %s: rank %d (%.3f)\n", a.Arm, a.Rank, a.Score)
	}
	for _, s := range r.Signals {
		if s.Contribution() != 0 {
			fmt.Fprintf(&b, "    %-16s %6.3f × %5.2f = %+.3f\n", s.Name, s.Value, s.Weight, s.Contribution())
		}
	}
	for _, s := range r.Parts {
		if s.Contribution() != 0 {
			fmt.Fprintf(&b, "      ranker: %-16s %6.3f × %5.2f = %+.3f\n", s.Name, s.Value, s.Weight, s.Contribution())
		}
	}
	return b.String()
}
