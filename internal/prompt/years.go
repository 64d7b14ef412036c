package prompt

import (
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// year is what stands above the lines that were said in it.
func year(said time.Time, loc *time.Location) string { return said.In(loc).Format("2006:\n") }

// forYears returns the tokens of the years above the lines: above what the user asked to keep, what
// holds, what was approved and what was said in passing.
func (s *Lines) forYears() int {
	if len(s.all) == 0 {
		return 0
	}
	return 4 * (s.newest.In(s.loc).Year() - s.oldest.In(s.loc).Year() + 1) * text.Tokens(year(s.newest, s.loc))
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

// shown joins the lines below their titles and years.
func (s *Lines) shown(chosen []*line) string {
	var out strings.Builder
	title, passing := s.heads()
	last := ""
	for i, l := range chosen {
		switch {
		case i > 0 && (l.Group == chosen[i-1].Group || l.Group != Approved && l.Group != Passing):
		case l.Group == Approved:
			out.WriteString(approvedTitle)
			last = ""
		case l.Group == Passing && i > 0:
			out.WriteString(passingTitle)
			last = ""
		case l.Group == Passing:
			out.WriteString(passing)
		default:
			out.WriteString(title)
		}
		dated := l
		if last == "" { // one that was moved stands beside another one
			dated = chosen[i+max(0, slices.IndexFunc(chosen[i:], func(l *line) bool { return !l.moved }))]
		}
		if at := year(dated.Said, s.loc); at != last && !dated.moved {
			out.WriteString(at)
			last = at
		}
		out.WriteString(l.shown)
	}
	return out.String()
}
