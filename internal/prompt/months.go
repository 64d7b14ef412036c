package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// monthsShare is the most of the section reserved for the times above its lines. Of 135 statements that
// later ones had replaced in a year of four lives 122 stood beside those mostly unmarked, often without
// a day on either.
const monthsShare = 0.05

// periods are the lengths in months of the times above lines, the first that has room counts.
var periods = []int{1, 3, 6, 12}

// period returns what stands above lines said at a time: "2026-03:", "2026-01 to 2026-06:".
func period(said time.Time, months int, loc *time.Location) string {
	at := said.In(loc)
	first := time.Date(at.Year(), at.Month()-(at.Month()-1)%time.Month(months), 1, 0, 0, 0, 0, loc)
	if months == 1 {
		return first.Format("2006-01:\n")
	}
	return fmt.Sprintf("%s to %s:\n", first.Format("2006-01"), first.AddDate(0, months-1, 0).Format("2006-01"))
}

// forMonths returns the tokens reserved for the times above the lines: a share of left, but no more
// than the months take twice, above what holds and above what was said in passing.
func (s *Lines) forMonths(left int) int {
	if s.loc == nil || period(s.oldest, 1, s.loc) == period(s.newest, 1, s.loc) {
		return 0
	}
	from, to := s.oldest.In(s.loc), s.newest.In(s.loc)
	months := 12*(to.Year()-from.Year()) + int(to.Month()-from.Month()) + 1
	return min(int(monthsShare*float64(left)), 2*months*text.Tokens(period(s.newest, 1, s.loc)))
}

// below reports whether two lines stand in one sequence.
func (l *line) below(other *line) bool {
	return l.Group == other.Group || l.Group == Told && other.Group == Said || l.Group == Said && other.Group == Told
}

// inTime merges the lines that were saved with those that were said, the oldest first. Both
// are in this order.
func inTime(chosen []*line) []*line {
	first := slices.IndexFunc(chosen, func(l *line) bool { return l.Group == Told })
	said := slices.IndexFunc(chosen, func(l *line) bool { return l.Group == Said })
	if first < 0 || said < first {
		return chosen
	}
	end := said
	for end < len(chosen) && chosen[end].Group == Said {
		end++
	}
	a, b := chosen[first:said], chosen[said:end]
	merged := slices.Clone(chosen[:first])
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if b[0].Said.Before(a[0].Said) {
			from = &b
		}
		merged, *from = append(merged, (*from)[0]), (*from)[1:]
	}
	return slices.Concat(merged, a, b, chosen[end:])
}

// times returns what stands above each line: when those below were said, by month or by a longer
// time that the tokens allow. What the user asked to keep has none, nor what stands apart from
// its time because it was changed or changed another, nor have lines that all are of one month.
func times(chosen []*line, left int, loc *time.Location) []string {
	for _, months := range periods {
		above, cost, all := make([]string, len(chosen)), 0, make(map[string]bool)
		last := ""
		for i, l := range chosen {
			if i > 0 && l.Group != chosen[i-1].Group && (l.Group == Approved || l.Group == Passing) {
				last = "" // below a title
			}
			if l.Group == Kept || l.earlier || l.apart {
				continue
			}
			if at := period(l.Said, months, loc); at != last {
				above[i], last, all[at] = at, at, true
				cost += text.Tokens(at)
			}
		}
		if len(all) > 1 && cost <= left {
			return above
		}
		if len(all) < 2 {
			break
		}
	}
	return make([]string, len(chosen))
}

// shown joins the lines below their titles and times.
func (s *Lines) shown(chosen []*line, left int) string {
	var out strings.Builder
	title, passing := s.heads()
	above := times(chosen, left, s.loc)
	for i, l := range chosen {
		switch {
		case i > 0 && (l.Group == chosen[i-1].Group || l.Group != Approved && l.Group != Passing):
		case l.Group == Approved:
			out.WriteString(approvedTitle)
		case l.Group == Passing && i > 0:
			out.WriteString(passingTitle)
		case l.Group == Passing:
			out.WriteString(passing)
		default:
			out.WriteString(title)
		}
		out.WriteString(above[i])
		out.WriteString(l.shown)
	}
	return out.String()
}
