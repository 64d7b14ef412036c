package consolidate_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/consolidate/schedule"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	require.NoError(t, err)
	return location
}

func TestDueDay(t *testing.T) {
	london, apia, kolkata := zone(t, "Europe/London"), zone(t, "Pacific/Apia"), zone(t, "Asia/Kolkata")
	at := func(location *time.Location, s string) time.Time {
		local, err := time.ParseInLocation("2006-01-02 15:04", s, location)
		require.NoError(t, err)
		return local.UTC()
	}
	for _, c := range []struct {
		name     string
		now      time.Time
		through  string
		location *time.Location
		at       time.Duration
		day      string
		due      bool
	}{
		{"before the hour the day before yesterday counts", at(london, "2026-01-10 00:59"), "2026-01-08", london, time.Hour, "2026-01-08", false},
		{"at the hour yesterday is due", at(london, "2026-01-10 01:00"), "2026-01-08", london, time.Hour, "2026-01-09", true},
		{"once", at(london, "2026-01-10 23:59"), "2026-01-09", london, time.Hour, "2026-01-09", false},
		{"three days asleep: the last of them", at(london, "2026-01-13 08:00"), "2026-01-09", london, time.Hour, "2026-01-12", true},
		{"never yet", at(london, "2026-01-13 08:00"), "", london, time.Hour, "2026-01-12", true},
		{"01:00 does not exist this night", time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), "2026-03-27", london, time.Hour, "2026-03-28", true},
		{"just before the jump", time.Date(2026, 3, 29, 0, 59, 0, 0, time.UTC), "2026-03-27", london, time.Hour, "2026-03-27", false},
		{"01:30 comes twice: first", time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC), "2026-10-23", london, 90 * time.Minute, "2026-10-24", true},
		{"01:30 comes twice: second", time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC), "2026-10-24", london, 90 * time.Minute, "2026-10-24", false},
		{"a date the place skipped never comes", at(apia, "2011-12-31 01:30"), "2011-12-28", apia, time.Hour, "2011-12-29", true},
		{"half-hour zones", time.Date(2026, 1, 9, 19, 30, 0, 0, time.UTC), "2026-01-08", kolkata, time.Hour, "2026-01-09", true},
		{"a place further west", at(london, "2026-01-10 02:00"), "2026-01-09", zone(t, "America/Los_Angeles"), time.Hour, "2026-01-08", false},
		{"moved west over the date line after a night", at(london, "2026-01-10 02:00"), "2026-01-10", zone(t, "America/Los_Angeles"), time.Hour, "2026-01-08", false},
		{"recorded by a wrong clock", at(london, "2026-01-10 02:00"), "2036-05-01", london, time.Hour, "2026-01-09", true},
		{"zones without a name", time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC), "", time.FixedZone("", 3*3600), time.Hour, "2026-01-09", true},
	} {
		day, due := schedule.DueDay(c.now, c.through, c.location, c.at)
		require.Equal(t, c.day, day, c.name)
		require.Equal(t, c.due, due, c.name)
	}
}

// Whatever the zone, the hour and the moments at which somebody looks, local
// days come in order, each at most once, and with an hourly look each once.
func TestDueDayTakesEachLocalDayOnce(t *testing.T) {
	zones := []string{"UTC", "Europe/London", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Beirut", "Asia/Kathmandu", "Africa/Casablanca", "Pacific/Chatham"}
	rapid.Check(t, func(t *rapid.T) {
		location, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		require.NoError(t, err)
		at := time.Duration(rapid.IntRange(0, 23*60+59).Draw(t, "minutes")) * time.Minute
		now := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 17*365*24).Draw(t, "hours")) * time.Hour)
		through, _ := schedule.DueDay(now, "", location, at)
		seen := through
		for range 24 * 40 {
			now = now.Add(time.Hour)
			day, due := schedule.DueDay(now, through, location, at)
			if !due {
				continue
			}
			require.Greater(t, day, seen)
			next := now.In(location)
			require.Less(t, day, next.Format(time.DateOnly), "only days that are over")
			// No local day between the last and this one: each comes once.
			for probe := now; ; probe = probe.Add(-time.Hour) {
				d := probe.In(location).Format(time.DateOnly)
				if d <= seen {
					break
				}
				require.False(t, d > seen && d < day, "%s was left out between %s and %s", d, seen, day)
			}
			seen, through = day, day
		}
	})
}
