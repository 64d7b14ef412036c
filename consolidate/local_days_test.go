package consolidate_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/schema"
)

// calendars are years of 366 dates and more, each with its hardest date and the
// night time at which that is hardest.
var calendars = []struct {
	zone, from, hard, nightTime string
	skipped                     string // a date the place left out
}{
	{"Europe/London", "2024-01-01", "2024-10-27", "01:00", ""},          // 01:00 is doubled, in March skipped
	{"Australia/Lord_Howe", "2024-01-01", "2024-10-06", "02:00", ""},    // half an hour of summer time
	{"America/Sao_Paulo", "2016-01-01", "2016-02-21", "00:00", ""},      // yesterday comes back for an hour; in October midnight is skipped
	{"Pacific/Chatham", "2024-01-01", "2024-04-07", "02:45", ""},        // 12:45 ahead, 13:45 in summer
	{"Pacific/Apia", "2011-06-01", "2011-12-31", "00:00", "2011-12-30"}, // changed sides of the date line
	{"America/St_Johns", "2008-01-01", "2008-11-02", "00:00", ""},       // changes its clocks at 00:01
	{"America/Asuncion", "2024-01-01", "2024-03-24", "23:30", ""},       // the night time itself comes back
	{"Africa/Casablanca", "2024-01-01", "2024-03-10", "03:00", ""},      // winter time in Ramadan alone
}

// before is the date ten days before one.
func before(t *testing.T, date string) string {
	day, err := time.Parse(time.DateOnly, date)
	require.NoError(t, err)
	return day.AddDate(0, 0, -10).Format(time.DateOnly)
}

// dates are n dates from one on, by counting, without one that was skipped.
func dates(t *testing.T, from string, n int, skipped string) (days []string) {
	day, err := time.Parse(time.DateOnly, from)
	require.NoError(t, err)
	for range n {
		if d := day.Format(time.DateOnly); d != skipped {
			days = append(days, d)
		}
		day = day.AddDate(0, 0, 1)
	}
	return days
}

// sleeper is a machine with one user, whose schedule is asked by hand.
type sleeper struct {
	*testing.T
	path, nightTime string
	location        *time.Location
	clock           clock
	db              *schema.DB
	schedule        *schedule.Schedule
}

// boot starts or restarts the program.
func (s *sleeper) boot() {
	s.stop()
	var err error
	s.db, err = schema.Open(s.Context(), s.path, &schema.Options{Now: s.clock.time})
	require.NoError(s, err)
	nothing := stage{"nothing", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) { return nil, nil }}
	s.schedule, err = schedule.New(runner(s, s.db, stages(nothing)), s.db, schedule.Options{
		Now: s.clock.time, Location: time.UTC, NightTime: s.nightTime,
	})
	require.NoError(s, err)
}

func (s *sleeper) stop() {
	if s.db != nil {
		require.NoError(s, s.db.Close())
		s.db = nil
	}
}

// check asks at an instant, and returns the day through which all is done.
func (s *sleeper) check(now time.Time) (through string) {
	s.clock.set(now)
	require.NoError(s, s.schedule.Check(s.Context()))
	require.NoError(s, s.db.Read(s.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
		return snap.Row(ctx, "SELECT nights_through FROM users", nil, &through)
	}))
	return through
}

// ledger are the local days of the runs, in order; all of them must be done.
func (s *sleeper) ledger() (days []string) {
	require.NoError(s, s.db.Read(s.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
		runs, err := snap.Runs(ctx, 1, 0)
		for _, r := range runs {
			require.Equal(s, "done", r.State)
			require.Equal(s, consolidate.CauseNight, r.Cause)
			days = append([]string{r.LocalDay}, days...)
		}
		return err
	}))
	return days
}

// over counts the days whose night is due when the clock on the wall says so.
func (s *sleeper) over(days []string, now time.Time) int {
	wall := now.In(s.location)
	today, found := slices.BinarySearch(days, wall.Format(time.DateOnly))
	require.True(s, found, "%s is no date of this place", wall)
	if wall.Format("15:04") < s.nightTime {
		today--
	}
	return max(0, today)
}

// By default the days around the hardest one, with -year all of it.
func TestEveryDayOfAYearInManyZones(t *testing.T) {
	for _, c := range calendars {
		for _, sleeps := range []bool{false, true} {
			name := c.zone + ", awake"
			if sleeps {
				name = c.zone + ", often asleep"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := &sleeper{T: t, path: filepath.Join(t.TempDir(), "memory.db"), location: zone(t, c.zone), nightTime: c.nightTime}
				from, n := c.from, 366
				if !*year {
					from, n = before(t, c.hard), 40
				}
				days, nights := dates(t, from, n+10, c.skipped), len(dates(t, from, n, c.skipped))
				first, err := time.ParseInLocation("2006-01-02 15:04", from+" 12:00", s.location)
				require.NoError(t, err)
				s.clock.set(first)
				s.boot()
				defer s.stop()
				remember(t, s.db, ada, schema.Memory{Content: "hello", Confidence: 1})
				setZone(t, s.db, c.zone)
				random := rand.New(rand.NewPCG(4, uint64(len(c.zone))))
				want, done := []string(nil), 0
				for now := first; done < nights; now = now.Add(time.Hour) {
					switch {
					case sleeps && random.IntN(40) == 0:
						now = now.Add(time.Duration(random.IntN(7*24*4)) * 15 * time.Minute)
					case random.IntN(20*24) == 0:
						s.boot()
					}
					through := s.check(now)
					if over := s.over(days, now); over > done {
						done = over
						want = append(want, days[done-1])
					}
					if done == 0 {
						require.Empty(t, through, "at %s", now.In(s.location))
						continue
					}
					require.Equal(t, days[done-1], through, "at %s", now.In(s.location))
				}
				require.Equal(t, want, s.ledger())
				if sleeps {
					require.Less(t, len(want), nights*4/5, "the machine hardly slept")
				} else {
					require.Equal(t, days[:nights], want, "each day has its night")
				}
			})
		}
	}
}
