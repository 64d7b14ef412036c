package consolidate

import "time"

// DueDay says which local day should be consolidated at now, as YYYY-MM-DD,
// and whether one should. through is the last day that was, "" for none.
//
// A day is due from the given time of day on, at (1 h is 01:00), of the day
// after it. When several are behind, the last is the one: what a night does, it
// does over all memories, so one run catches up with the days a laptop slept
// through.
//
// It is a pure function of the local calendar, so that each local day comes
// once, whatever the clocks do: an at that does not exist in one night passes
// with the jump over it, one that comes twice finds its day done, a day of 23
// or 25 hours is a day, and a date that a place skipped never comes.
func DueDay(now time.Time, through string, location *time.Location, at time.Duration) (day string, due bool) {
	local := now.In(location)
	last := previousDay(local)
	hour, minute, second := local.Clock()
	clock := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	if clock < at {
		last = previousDay(last)
	}
	day = last.Format(time.DateOnly)
	return day, day > through
}

// previousDay is an instant on the local date before t's. It walks back in
// time, because counting dates would land on one that a place skipped.
func previousDay(t time.Time) time.Time {
	today := t.Format(time.DateOnly)
	for t.Format(time.DateOnly) >= today {
		t = t.Add(-time.Hour)
	}
	return t
}
