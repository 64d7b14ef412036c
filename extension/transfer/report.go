package transfer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String says in a line what was imported, and what was not and why.
func (r *ImportReport) String() string {
	noun, why := "turn", "no text of user or assistant"
	switch r.Format {
	case FormatExport:
		noun, why = "record", "only a restored export brings them"
	case FormatMessages:
		why = "no text of user, assistant or tool"
	}
	if r.Stored != 1 {
		noun += "s"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s stored, %d were there already", r.Stored, noun, r.Duplicates)
	if r.Skipped > 0 {
		fmt.Fprintf(&b, ", %d skipped (%s)", r.Skipped, why)
	}
	if r.Untimed > 0 {
		fmt.Fprintf(&b, ", %d without a time (they count as said now)", r.Untimed)
	}
	if r.Lowered > 0 {
		fmt.Fprintf(&b, ", %d believed as an import and no more (--restore, into a new file, if the export is your own)", r.Lowered)
	}
	if r.Erased > 0 {
		fmt.Fprintf(&b, ", %d passed over (erased here before)", r.Erased)
	}
	if r.Bad > 0 {
		fmt.Fprintf(&b, ", %d bad and skipped (%s", r.Bad, strings.Join(r.BadLines, "; "))
		if more := r.Bad - len(r.BadLines); more > 0 {
			fmt.Fprintf(&b, "; and %d more", more)
		}
		b.WriteString(")")
	}
	separator := "; left out: "
	for _, what := range slices.Sorted(maps.Keys(r.LeftOut)) {
		fmt.Fprintf(&b, "%s%d %s", separator, r.LeftOut[what], what)
		separator = ", "
	}
	return b.String()
}

// leaveOut counts what an import does not bring.
func (r *ImportReport) leaveOut(what string, n int) {
	if n > 0 {
		if r.LeftOut == nil {
			r.LeftOut = make(map[string]int)
		}
		r.LeftOut[what] += n
	}
}
