package memory

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// NightClock says which nights are due.
type NightClock struct {
	Now      time.Time
	Location *time.Location // of users without one of their own
	At       time.Duration  // local time at which a night begins
	First    bool           // whether users who never had a night should have had one
}

// Overdue counts the local days of one user that a night should have
// consolidated and has not.
func (c NightClock) Overdue(zone, through string, created time.Time) int64 {
	location := c.Location
	if named, err := time.LoadLocation(zone); err == nil && zone != "" {
		location = named
	}
	if through == "" {
		if !c.First {
			return 0
		}
		through = created.In(location).AddDate(0, 0, -1).Format(time.DateOnly)
	}
	day, due := schedule.DueDay(c.Now, through, location, c.At)
	if !due {
		return 0
	}
	return max(1, daysBetween(through, day)) // it is negative after a night by a wrong clock
}

// MostOverdue counts the overdue nights of the user furthest behind, and gives the
// last day that is consolidated for every user who ever had a night.
func (c NightClock) MostOverdue(ctx context.Context, q schema.Querier) (most int64, through string, err error) {
	nights, err := inspect.LastNights(ctx, q)
	for _, n := range nights {
		most = max(most, c.Overdue(n.TimeZone, n.Through, n.CreatedAt.Time))
		if n.Through != "" && (through == "" || n.Through < through) {
			through = n.Through
		}
	}
	return most, through, err
}

// daysBetween counts the dates after one through another; 0 when either is none.
func daysBetween(after, through string) int64 {
	from, err1 := time.Parse(time.DateOnly, after)
	to, err2 := time.Parse(time.DateOnly, through)
	if err1 != nil || err2 != nil {
		return 0
	}
	return int64(to.Sub(from) / (24 * time.Hour))
}
