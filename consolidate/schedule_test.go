package consolidate_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/schema"
)

var year = flag.Bool("year", false, "run the long loops: 366 nights in every zone, whole years with a hostile model, 200 kills")

// nights runs a schedule over a fresh database in a bubble whose clock starts
// at from, for the user's zone, and returns the days that were consolidated.
func nights(t *testing.T, location *time.Location, userZone, nightTime string, from, until time.Time) (days []string) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(from))
		db := open(t)
		remember(t, db, ada, schema.Memory{Content: "hello", Confidence: 1})
		if userZone != "" {
			setZone(t, db, userZone)
		}
		var mu sync.Mutex
		s, err := schedule.New(runner(t, db, stages()), db, schedule.Options{
			Location: location, NightTime: nightTime,
			OnError: func(err error) { t.Error(err) },
			OnReport: func(_ schema.Scope, r *consolidate.Report, _ error) {
				mu.Lock()
				days = append(days, r.LocalDay)
				mu.Unlock()
			},
		})
		require.NoError(t, err)
		require.NoError(t, s.Start(t.Context()))
		time.Sleep(time.Until(until))
		synctest.Wait()
		require.NoError(t, s.Stop(t.Context()))
	})
	return days
}

func setZone(t testing.TB, db *schema.DB, name string) {
	t.Helper()
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE users SET time_zone = ?", name)
		return err
	}))
}

func TestEachLocalDayIsConsolidatedOnce(t *testing.T) {
	// In 2026 summer time begins and ends within 40 nights of these days; -year has whole years.
	spring, autumn := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, location, user, nightTime string
		from                            time.Time
		nights                          int
	}{
		{"London, whose 01:00 is skipped", "Europe/London", "", "01:00", spring, 40},
		{"London, whose 01:00 is doubled", "Europe/London", "", "01:00", autumn, 40},
		{"New York, a user's own zone", "UTC", "America/New_York", "02:30", spring, 40},
		{"Lord Howe, half an hour of summer time", "Australia/Lord_Howe", "", "02:00", spring, 40},
		{"Kathmandu, 5:45 ahead", "Asia/Kathmandu", "", "00:00", spring, 30},
		{"Beirut, whose midnight is skipped", "Asia/Beirut", "", "00:00", spring, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := c.nights
			if *year {
				n = 366
			}
			location := zone(t, c.location)
			local := location
			if c.user != "" {
				local = zone(t, c.user)
			}
			from := time.Date(c.from.Year(), c.from.Month(), c.from.Day(), 12, 0, 0, 0, local)
			got := nights(t, location, c.user, c.nightTime, from, from.AddDate(0, 0, n))
			var want []string
			for i := range n {
				want = append(want, from.AddDate(0, 0, i).Format(time.DateOnly))
			}
			require.Equal(t, want, got)
		})
	}
	t.Run("a zone without a name", func(t *testing.T) {
		from := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
		got := nights(t, time.FixedZone("", 3*3600), "", "01:00", from, from.AddDate(0, 0, 5))
		require.Equal(t, []string{"2026-01-05", "2026-01-06", "2026-01-07", "2026-01-08", "2026-01-09"}, got)
	})
}

func TestNightComesAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		oslo := zone(t, "Europe/Oslo")
		time.Sleep(time.Until(time.Date(2026, 5, 4, 12, 20, 0, 0, oslo)))
		db := open(t)
		remember(t, db, ada, schema.Memory{Content: "hello", Confidence: 1})
		var when time.Time
		s, err := schedule.New(runner(t, db), db, schedule.Options{
			Location: oslo, NightTime: "03:30", OnReport: func(schema.Scope, *consolidate.Report, error) { when = time.Now() },
		})
		require.NoError(t, err)
		require.NoError(t, s.Start(t.Context()))
		time.Sleep(24 * time.Hour)
		require.NoError(t, s.Stop(t.Context()))
		require.Equal(t, "2026-05-05 03:30", when.In(oslo).Format("2006-01-02 15:04"))
	})
}

func TestLaptopAsleepForThreeDaysRunsOneNight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)))
		db := open(t)
		remember(t, db, ada, schema.Memory{Content: "hello", Confidence: 1})
		var days []string
		check := func() {
			s, err := schedule.New(runner(t, db), db, schedule.Options{
				Location: time.UTC, OnReport: func(_ schema.Scope, r *consolidate.Report, _ error) { days = append(days, r.LocalDay) },
			})
			require.NoError(t, err)
			require.NoError(t, s.Start(t.Context()))
			time.Sleep(time.Minute)
			require.NoError(t, s.Stop(t.Context()))
		}
		check()
		require.Empty(t, days, "nothing is due on the first day")
		time.Sleep(72 * time.Hour)
		check()
		check()
		require.Equal(t, []string{"2026-05-06"}, days)
	})
}

func TestScheduleStopsWhateverItsState(t *testing.T) {
	db := open(t)
	fresh := func() *schedule.Schedule {
		s, err := schedule.New(runner(t, db), db, schedule.Options{})
		require.NoError(t, err)
		return s
	}
	never := fresh()
	require.NoError(t, never.Stop(t.Context()))
	require.NoError(t, never.Start(t.Context()), "after a stop it stays stopped")
	require.NoError(t, never.Stop(t.Context()))
	twice := fresh()
	require.NoError(t, twice.Start(t.Context()))
	require.NoError(t, twice.Start(t.Context()))
	require.NoError(t, twice.Stop(t.Context()))
	require.NoError(t, twice.Stop(t.Context()))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, fresh().Start(ended), context.Canceled)
	_, err := schedule.New(runner(t, db), db, schedule.Options{NightTime: "at one"})
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Options.NightTime", invalid.Field)
}

func TestStopCutsOffANightAndWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)))
		db := open(t)
		remember(t, db, ada, schema.Memory{Content: "hello", Confidence: 1})
		inside, leave := make(chan struct{}), make(chan struct{})
		var cut atomic.Bool
		stubborn := stage{"stubborn", func(ctx context.Context, _ *consolidate.Input) ([]consolidate.Proposal, error) {
			close(inside)
			<-ctx.Done()
			cut.Store(true)
			<-leave
			return nil, ctx.Err()
		}}
		s, err := schedule.New(runner(t, db, stages(stubborn)), db, schedule.Options{
			Location: time.UTC, OnError: func(err error) { t.Errorf("a night that was stopped did not fail: %v", err) },
		})
		require.NoError(t, err)
		require.NoError(t, s.Start(t.Context()))
		<-inside
		hurry, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.Stop(hurry), context.DeadlineExceeded)
		require.True(t, cut.Load())
		close(leave)
		require.NoError(t, s.Stop(t.Context()))
	})
}

func TestFailedNightDoesNotBlockOtherUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)))
		db := open(t)
		for _, name := range []string{"ada", "bob", "eve"} {
			remember(t, db, schema.Scope{User: name}, schema.Memory{Content: "hello", Confidence: 1})
		}
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE users SET time_zone = 'Atlantis/Poseidonis' WHERE name = 'eve'")
			return err
		}))
		time.Sleep(24 * time.Hour)
		moody := stage{"moody", func(_ context.Context, in *consolidate.Input) ([]consolidate.Proposal, error) {
			if in.Scope.User == "ada" {
				panic("not today")
			}
			return nil, nil
		}}
		var failures atomic.Int32
		var done []string
		s, err := schedule.New(runner(t, db, stages(moody)), db, schedule.Options{
			Location: time.UTC,
			OnError:  func(error) { failures.Add(1); panic("so is the host") },
			OnReport: func(scope schema.Scope, r *consolidate.Report, _ error) {
				if r.State == "done" {
					done = append(done, scope.User)
				}
			},
		})
		require.NoError(t, err)
		err = s.Check(t.Context())
		var zone *schema.InvalidError
		require.ErrorAs(t, err, &zone)
		require.Equal(t, "time_zone", zone.Field)
		var failed *consolidate.StageError
		require.ErrorAs(t, err, &failed)
		slices.Sort(done)
		require.Equal(t, []string{"bob", "eve"}, done)
		require.False(t, errors.Is(err, schema.ErrConflict))
	})
}

// A stage that fails with a conflict of its own is no other process that runs the nights.
func TestConflictOfAStageDoesNotBlockOtherUsers(t *testing.T) {
	db := open(t)
	for _, name := range []string{"ada", "bob"} {
		remember(t, db, schema.Scope{User: name}, schema.Memory{Content: "hello", Confidence: 1})
	}
	conflicting := stage{"conflicting", func(_ context.Context, in *consolidate.Input) ([]consolidate.Proposal, error) {
		if in.Scope.User == "ada" {
			return nil, schema.ErrConflict
		}
		return nil, nil
	}}
	var done []string
	s, err := schedule.New(runner(t, db, stages(conflicting)), db, schedule.Options{
		Location: time.UTC, Now: func() time.Time { return time.Now().AddDate(0, 0, 2) },
		OnReport: func(scope schema.Scope, r *consolidate.Report, _ error) {
			if r.State == "done" {
				done = append(done, scope.User)
			}
		},
	})
	require.NoError(t, err)
	var failed *consolidate.StageError
	require.ErrorAs(t, s.Check(t.Context()), &failed)
	require.Equal(t, []string{"bob"}, done)
}
