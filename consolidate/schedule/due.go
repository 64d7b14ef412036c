package schedule

import (
	"time"

	"github.com/ebbmem/ebb/schema"
)

// DueDay returns the local day to consolidate at now, as YYYY-MM-DD, and whether
// it is due. through is the last consolidated day, "" for none.
//
// A day is due from the time at (1 h is 01:00) of the next day. Of several days
// the last is due: a night covers all memories, so one run catches up with days
// during which a laptop slept. A through in the future comes from a wrong clock and
// counts as none.
//
// It depends on the local calendar alone, so that each local day is due once
// whatever the clocks do: a time that daylight saving skips is past after the
// jump, at its second occurrence the day is done, days of 23 and 25 hours count
// as days, and a date that a country skipped is never due.
func DueDay(now time.Time, through string, location *time.Location, at time.Duration) (day string, due bool) {
	local := now.In(location)
	last := previousDay(local)
	hour, minute, second := local.Clock()
	clock := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	if clock < at {
		last = previousDay(last)
	}
	day = last.Format(time.DateOnly)
	return day, day > through || schema.AheadOfClock(through, local)
}

// previousDay returns an instant on the local date before t's. It walks back in
// time, because subtracting a day could give a date that the country skipped.
func previousDay(t time.Time) time.Time {
	today := t.Format(time.DateOnly)
	for t.Format(time.DateOnly) >= today {
		t = t.Add(-time.Hour)
	}
	return t
}
