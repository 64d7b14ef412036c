package inspector

import (
	"slices"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// past is a month of days, and one of them.
type past struct {
	Month, Day       time.Time
	Earlier, Later   string // months, as 2026-03
	Weeks            [][]cell
	Total            int
	Sessions         []conversation
	Session          string
	Turned           []validity
	AxisFrom, AxisTo time.Time
	Cut              bool
	HasDates         bool
}

// cell is a day of a calendar.
type cell struct {
	Day   time.Time
	N     int
	Level int // 0–4
	In    bool
	Here  bool
}

type conversation struct {
	Name     string
	Memories []extension.Record
}

// validity is a claim with the time in which it holds as a bar, in per cent.
type validity struct {
	extension.Record

	X, Width float64
	Open     bool // it holds still
}

// maxDay is the most memories of one day that are listed.
const maxDay = 120

// lastYear is the last year of the calendar, whose months have a next one.
const lastYear = 9998

func timeline(r *request) (answer, error) {
	v := past{Session: r.FormValue("session")}
	loc := r.o.Location
	var newest schema.Time
	if err := r.read(r, func(s *schema.Snapshot) (err error) {
		newest, err = inspect.Newest(r.ctx, s, r.userID)
		return err
	}); err != nil {
		return answer{}, err
	}
	v.Day = r.now()
	if v.HasDates = !newest.IsZero(); v.HasDates && newest.In(loc).Year() <= lastYear {
		v.Day = newest.In(loc)
	}
	whole := false
	var err error
	switch asked := r.FormValue("day"); len(asked) {
	case 0:
	case len("2026-03"):
		whole = true
		v.Day, err = time.ParseInLocation("2006-01", asked, loc)
	default:
		v.Day, err = time.ParseInLocation(time.DateOnly, asked, loc)
	}
	if err != nil || v.Day.Year() < 1000 || v.Day.Year() > lastYear {
		return answer{}, &extension.InvalidError{Field: "day", Reason: "must be a day such as 2026-03-01, or a month such as 2026-03"}
	}
	v.Day = time.Date(v.Day.Year(), v.Day.Month(), v.Day.Day(), 0, 0, 0, 0, loc)
	v.Month = v.Day.AddDate(0, 0, 1-v.Day.Day())
	next := v.Month.AddDate(0, 1, 0)
	v.Earlier, v.Later = v.Month.AddDate(0, -1, 0).Format("2006-01"), next.Format("2006-01")
	if err := v.calendar(r, next, whole); err != nil {
		return answer{}, err
	}
	q := extension.TimelineQuery{Since: v.Day, Until: v.Day.AddDate(0, 0, 1), Limit: maxDay + 1, Session: v.Session}
	if v.Session != "" {
		q.Since, q.Until = time.Time{}, time.Time{}
	}
	if !whole || v.Session != "" {
		records, err := r.ext.Timeline(r.ctx, r.scope, q)
		if err != nil {
			return answer{}, err
		}
		if v.Cut = len(records) > maxDay; v.Cut {
			records = records[len(records)-maxDay:]
		}
		v.group(records)
	}
	title := v.Day.Format("Monday, 2 January 2006")
	if v.Session != "" {
		title = "Session " + v.Session
	} else if whole {
		title = v.Month.Format("January 2006")
	}
	return answer{page: "timeline", title: title, data: &v}, nil
}

// calendar reads the days of the month, and which claims began or ended in it.
func (v *past) calendar(r *request, next time.Time, whole bool) error {
	first := v.Month.AddDate(0, 0, -(int(v.Month.Weekday())+6)%7)
	bounds := []time.Time{first}
	for d := first; d.Before(next) || d.Weekday() != time.Monday; {
		d = d.AddDate(0, 0, 1)
		bounds = append(bounds, d)
	}
	var counts []int
	var turned []schema.Memory
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		if counts, err = inspect.Days(r.ctx, s, r.userID, bounds); err != nil {
			return err
		}
		turned, err = inspect.Turned(r.ctx, s, r.userID, v.Month, next, 40)
		return err
	})
	if err != nil {
		return err
	}
	most := slices.Max(counts)
	for i, n := range counts {
		c := cell{Day: bounds[i], N: n, In: bounds[i].Month() == v.Month.Month(), Here: !whole && bounds[i].Equal(v.Day)}
		if n > 0 {
			c.Level = 1 + 3*n/max(most, 1)
		}
		if c.In {
			v.Total += n
		}
		if i%7 == 0 {
			v.Weeks = append(v.Weeks, nil)
		}
		v.Weeks[len(v.Weeks)-1] = append(v.Weeks[len(v.Weeks)-1], c)
	}
	v.Turned, v.AxisFrom, v.AxisTo = validities(turned, r.now())
	return nil
}

func (v *past) group(records []extension.Record) {
	for _, m := range records {
		if n := len(v.Sessions); n == 0 || v.Sessions[n-1].Name != m.SessionName {
			v.Sessions = append(v.Sessions, conversation{Name: m.SessionName})
		}
		last := &v.Sessions[len(v.Sessions)-1]
		last.Memories = append(last.Memories, m)
	}
}

// validities puts claims on an axis from the first beginning until now.
func validities(claims []schema.Memory, now time.Time) (bars []validity, from, to time.Time) {
	if len(claims) == 0 {
		return nil, from, to
	}
	from, to = claims[0].ValidFrom.Time, now
	for i := range claims {
		if claims[i].ValidFrom.Before(from) {
			from = claims[i].ValidFrom.Time
		}
		if end := claims[i].ValidUntil.Time; end.After(to) {
			to = end
		}
	}
	span := max(float64(to.Sub(from)), 1)
	for _, m := range claims {
		end := m.ValidUntil.Time
		if end.IsZero() {
			end = to
		}
		x := 100 * float64(m.ValidFrom.Sub(from)) / span
		b := validity{Record: m, X: x, Width: max(100*float64(end.Sub(m.ValidFrom.Time))/span, 1), Open: m.ValidUntil.IsZero()}
		b.X = min(b.X, 99)
		b.Width = min(b.Width, 100-b.X)
		bars = append(bars, b)
	}
	return bars, from, to
}
