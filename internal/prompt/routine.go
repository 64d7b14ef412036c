package prompt

import (
	"slices"

	"github.com/ebbmem/ebb/internal/text"
)

// A line is routine if at least this share of its words belongs to phrases that at
// least so many lines contain.
const (
	routineShare = 0.4
	routineLines = 3
)

// withoutRepeats removes, of the routine lines that no pattern parsed, all but the
// newest with each phrase: "Help me word a note to …" describes the day, not the user.
// What a pattern parsed stays, however alike: "I'm allergic to nuts", "… to shellfish".
// On the lives in cmd/ebb/testdata/lives half of all lines were such repeats and none
// of them was a statement to remember; without them 48 % instead of 39 % of what was
// only said is in the prompt after a year.
func withoutRepeats(lines []*line) []*line {
	in := make(map[uint64]int, 16*len(lines)) // lines by phrase
	for _, l := range lines {
		phrases := slices.Clone(l.claims[0].phrases)
		slices.Sort(phrases)
		for _, p := range slices.Compact(phrases) {
			in[p]++
		}
	}
	var routine []*line
	for _, l := range lines {
		often := func(p uint64) bool { return in[p] >= routineLines }
		if l.unparsed && text.PhraseShare(l.claims[0].phrases, often) >= routineShare {
			l.style = false
			routine = append(routine, l)
		}
	}
	slices.SortStableFunc(routine, func(a, b *line) int { return b.Said.Compare(a.Said) })
	newer, repeats := make(map[uint64]bool), make(map[*line]bool)
	for _, l := range routine {
		repeats[l] = slices.ContainsFunc(l.claims[0].phrases, func(p uint64) bool { return newer[p] })
		for _, p := range l.claims[0].phrases {
			newer[p] = true
		}
	}
	return slices.DeleteFunc(lines, func(l *line) bool { return repeats[l] })
}
