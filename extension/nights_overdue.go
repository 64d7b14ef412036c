package extension

import (
	"database/sql"
	"errors"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// nightClock says which nights are due.
type nightClock struct {
	now      time.Time
	location *time.Location // of users who have none of their own
	at       time.Duration  // when a night begins
	unbegun  bool           // whether users who never had a night should have had one
}

// nights is the clock of this memory. Only who keeps a schedule owes a first
// night.
func (x *Extension) nights() nightClock {
	at, _ := time.Parse("15:04", x.cfg.NightTime) // the config was checked
	return nightClock{
		now: x.cfg.Now(), location: x.cfg.Location, unbegun: !x.cfg.NoSchedule && !x.cfg.NoBackground,
		at: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute,
	}
}

// overdue counts the local days of one user that no night has consolidated and
// should have.
func (c nightClock) overdue(zone, through string, created time.Time) int64 {
	location := c.location
	if named, err := time.LoadLocation(zone); err == nil && zone != "" {
		location = named
	}
	if through == "" {
		if !c.unbegun {
			return 0
		}
		through = created.In(location).AddDate(0, 0, -1).Format(time.DateOnly)
	}
	day, due := consolidate.DueDay(c.now, through, location, c.at)
	if !due {
		return 0
	}
	return daysBetween(through, day)
}

// furthestBehind lists for each time zone the user whose last night, and the
// one whose first day without any, is the longest ago.
const furthestBehind = "SELECT time_zone, nights_through, min(created_at) FROM users GROUP BY time_zone, nights_through"

// mostOverdue counts for the user furthest behind, and says through which day
// everybody who ever had a night had theirs. It closes the rows.
func (c nightClock) mostOverdue(rows *sql.Rows) (most int64, through string, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var zone, last string
		var created schema.Time
		if err := rows.Scan(&zone, &last, &created); err != nil {
			return 0, "", err
		}
		most = max(most, c.overdue(zone, last, created.Time))
		if last != "" && (through == "" || last < through) {
			through = last
		}
	}
	return most, through, rows.Err()
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
