package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// part is what a line stands in: what the user asked to keep, then everything else that people said,
// then what a model said.
func (g Group) part() int {
	switch g {
	case Kept:
		return 0
	case Approved:
		return 2
	}
	return 1
}

// parts is the number of parts.
const parts = 3

// year is what stands above the lines that were said in it.
func year(said time.Time, loc *time.Location) string { return said.In(loc).Format("2006:\n") }

// forYears returns the tokens of the years above the lines of each part.
func (s *Lines) forYears() int {
	if len(s.all) == 0 {
		return 0
	}
	return parts * (s.newest.In(s.loc).Year() - s.oldest.In(s.loc).Year() + 1) * text.Tokens(year(s.newest, s.loc))
}

// inTime sorts lines by part and by time. Lines that are less likely to hold stand among the others: the
// newer of two that differ may be among them.
func inTime(chosen []*line) {
	slices.SortStableFunc(chosen, func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.Group.part(), b.Group.part()), a.Said.Compare(b.Said), cmp.Compare(a.place, b.place))
	})
}

// shown joins the lines, which are in order, below their titles and years.
func (s *Lines) shown(chosen []*line) string {
	var out strings.Builder
	last := ""
	for i, l := range chosen {
		if i == 0 || l.Group.part() != chosen[i-1].Group.part() {
			out.WriteString(s.title(l.Group.part()))
			last = ""
		}
		if at := year(l.Said, s.loc); at != last {
			out.WriteString(at)
			last = at
		}
		out.WriteString(l.shown)
	}
	return out.String()
}
