package text

import "time"

// Calendar arithmetic on half-open spans. All of it uses time.Date, which
// handles daylight saving time.

func dayStart(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// floor returns the start of the calendar unit that holds t. Weeks begin on
// Monday.
func floor(t time.Time, g grain) time.Time {
	y, m, d := t.Date()
	loc := t.Location()
	switch g {
	case minute:
		return time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, loc)
	case hour:
		return time.Date(y, m, d, t.Hour(), 0, 0, 0, loc)
	case week, fortnight:
		return time.Date(y, m, d-(int(t.Weekday())+6)%7, 0, 0, 0, 0, loc)
	case weekend:
		return time.Date(y, m, d-(int(t.Weekday())+6)%7+5, 0, 0, 0, 0, loc)
	case month:
		return time.Date(y, m, 1, 0, 0, 0, 0, loc)
	case quarter:
		return time.Date(y, (m-1)/3*3+1, 1, 0, 0, 0, 0, loc)
	case year:
		return time.Date(y, 1, 1, 0, 0, 0, 0, loc)
	case decade:
		return time.Date(y/10*10, 1, 1, 0, 0, 0, 0, loc)
	case century:
		return time.Date((y-1)/100*100+1, 1, 1, 0, 0, 0, 0, loc)
	}
	return dayStart(t)
}

// addUnits moves t by n units. The day is clamped to the last of the target month
// (31 March - 1 month = 28 February).
func addUnits(t time.Time, n int, g grain) time.Time {
	switch g {
	case minute:
		return t.Add(time.Duration(n) * time.Minute)
	case hour:
		return t.Add(time.Duration(n) * time.Hour)
	case week, weekend:
		return t.AddDate(0, 0, 7*n)
	case fortnight:
		return t.AddDate(0, 0, 14*n)
	case month:
		return addMonths(t, n)
	case quarter, season:
		return addMonths(t, 3*n)
	case year:
		return addMonths(t, 12*n)
	case decade:
		return addMonths(t, 120*n)
	case century:
		return addMonths(t, 1200*n)
	}
	return t.AddDate(0, 0, n)
}

func addMonths(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	first := time.Date(y, m+time.Month(n), 1, 0, 0, 0, 0, t.Location())
	if last := daysIn(first.Year(), first.Month()); d > last {
		d = last
	}
	return time.Date(first.Year(), first.Month(), d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location())
}

func daysIn(y int, m time.Month) int {
	return time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// unitSpan returns the calendar unit n units away from the one that holds t.
func unitSpan(t time.Time, n int, g grain) (from, to time.Time) {
	from = addUnits(floor(t, g), n, g)
	switch g {
	case weekend:
		return from, from.AddDate(0, 0, 2)
	case fortnight:
		return from, from.AddDate(0, 0, 14)
	}
	return from, addUnits(from, 1, g)
}

// dayParts are the hours of morning, afternoon, evening and night, from midnight;
// a night ends on the next morning. They overlap on purpose.
var dayParts = [...][2]int{{5, 12}, {12, 18}, {17, 24}, {18, 30}}

func partSpan(d time.Time, part int) (from, to time.Time) {
	y, m, dd := d.Date()
	h := dayParts[part]
	return time.Date(y, m, dd, h[0], 0, 0, 0, d.Location()), time.Date(y, m, dd, h[1], 0, 0, 0, d.Location())
}

// easter returns the date of Easter Sunday by the anonymous Gregorian computus
// (Meeus, Astronomical Algorithms, chapter 8).
func easter(y int) (time.Month, int) {
	a, b, c := y%19, y/100, y%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Month(n / 31), n%31 + 1
}

// nthWeekday returns the day of the nth weekday of a month (n from 1; -1 for the
// last), or 0.
func nthWeekday(y int, m time.Month, wd time.Weekday, n int) int {
	first := time.Date(y, m, 1, 0, 0, 0, 0, time.UTC).Weekday()
	d := 1 + (int(wd)-int(first)+7)%7
	last := daysIn(y, m)
	if n < 0 {
		return d + (last-d)/7*7
	}
	if d += 7 * (n - 1); d > last {
		return 0
	}
	return d
}

// holidays maps a holiday to its day in a year. Only holidays with one agreed date
// are listed; Thanksgiving and Labor Day are the American ones.
var holidays = map[string]func(y int) (time.Month, int){
	"christmas":    fixed(12, 25),
	"xmas":         fixed(12, 25),
	"halloween":    fixed(10, 31),
	"easter":       easter,
	"thanksgiving": func(y int) (time.Month, int) { return 11, nthWeekday(y, 11, time.Thursday, 4) },
	"valentine":    fixed(2, 14),
	"valentines":   fixed(2, 14),
	"juneteenth":   fixed(6, 19),
}

func fixed(m time.Month, d int) func(int) (time.Month, int) {
	return func(int) (time.Month, int) { return m, d }
}
