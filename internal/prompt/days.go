package prompt

import (
	"slices"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// soonShare is the share of the section for lines that name this day or the next.
const soonShare = 0.1

// longestDay is that of the end of summer time.
const longestDay = 25 * time.Hour

// day is a half-open time of at most a day.
type day struct{ start, end time.Time }

// daysOf returns the days among the spans of a sentence, and the next ones of those without
// a year, but not the one on which it was said.
func daysOf(spans []text.TimeSpan, said time.Time) (days []day) {
	for _, s := range spans {
		for _, d := range []day{{s.Start, s.End}, {s.NextStart, s.NextEnd}} {
			if d.start.After(said) && d.end.Sub(d.start) <= longestDay {
				days = append(days, d)
			}
		}
	}
	return days
}

// isSoon reports whether the line names the day of now or the next one, which has not
// passed.
func (l *line) isSoon(now time.Time) bool {
	after := time.Date(now.Year(), now.Month(), now.Day()+2, 0, 0, 0, 0, now.Location())
	return slices.ContainsFunc(l.claims, func(c *ownClaim) bool {
		return slices.ContainsFunc(c.days, func(d day) bool { return d.end.After(now) && d.start.Before(after) })
	})
}
