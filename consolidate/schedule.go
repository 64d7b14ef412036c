package consolidate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"github.com/ebbmem/ebb/schema"
)

// DefaultNightTime is the local time at which a night is due.
const DefaultNightTime = "01:00"

// ScheduleOptions say when nights happen. The zero value is the default.
type ScheduleOptions struct {
	// Now is the clock that says which local days are over. Default time.Now.
	// The schedule wakes by the machine's clock whatever it says.
	Now func() time.Time
	// Location is the zone of users who have none of their own. Default
	// time.Local.
	Location *time.Location
	// NightTime is the local time, "HH:MM", at which the day before is due.
	// Default [DefaultNightTime].
	NightTime string
	// OnError hears of a night that failed; it is also on record in the
	// database. Default none.
	OnError func(error)
	// OnReport hears of each night that was run, after it. Default none.
	OnReport func(schema.Scope, *Report)
}

// Schedule runs nights by itself: at start, at the night time and every hour
// it asks which users have a local day behind them that is not consolidated.
// It is safe for concurrent use.
type Schedule struct {
	runner *Runner
	db     *schema.DB
	opts   ScheduleOptions
	at     time.Duration // night time, since midnight

	mu      sync.Mutex
	clock   gocron.Scheduler // nil before Start
	cancel  context.CancelFunc
	checks  sync.WaitGroup
	stopped chan struct{} // closed when nothing runs any more
	one     sync.Mutex    // held by the check that goes on
}

// NewSchedule makes a schedule that is not running yet.
//
// Errors: [*schema.InvalidError] for a night time that is none.
func NewSchedule(runner *Runner, db *schema.DB, opts ScheduleOptions) (*Schedule, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Location == nil {
		opts.Location = time.Local
	}
	if opts.NightTime == "" {
		opts.NightTime = DefaultNightTime
	}
	if opts.OnError == nil {
		opts.OnError = func(error) {}
	}
	if opts.OnReport == nil {
		opts.OnReport = func(schema.Scope, *Report) {}
	}
	at, err := time.Parse("15:04", opts.NightTime)
	if err != nil {
		return nil, &schema.InvalidError{Field: "ScheduleOptions.NightTime", Reason: `must be a time of day such as "01:00"`}
	}
	return &Schedule{
		runner: runner, db: db, opts: opts,
		at: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute,
	}, nil
}

// Start begins to wake, at once for the first time; ctx bounds the start
// alone. A schedule that runs already, or was stopped, stays as it is.
func (s *Schedule) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clock != nil || s.stopped != nil {
		return nil
	}
	clock, err := gocron.NewScheduler(gocron.WithLocation(s.opts.Location))
	if err != nil {
		return err
	}
	work, cancel := context.WithCancel(context.Background())
	// DailyJob rather than CronJob, which needs the zone by name and skips the
	// night whose hour does not exist; the hourly one catches what is left.
	nightTime := gocron.NewAtTimes(gocron.NewAtTime(uint(s.at.Hours()), uint(s.at.Minutes())%60, 0))
	for _, when := range []struct {
		definition gocron.JobDefinition
		options    []gocron.JobOption
	}{
		{gocron.DurationJob(time.Hour), []gocron.JobOption{gocron.WithStartAt(gocron.WithStartImmediately())}},
		{gocron.DailyJob(1, nightTime), nil},
	} {
		if _, err := clock.NewJob(when.definition, gocron.NewTask(func() { s.wake(work) }), when.options...); err != nil {
			cancel()
			return errors.Join(err, clock.Shutdown())
		}
	}
	s.clock, s.cancel = clock, cancel
	clock.Start()
	return nil
}

// Stop ends the schedule: a night that goes on is cut off, and taken up by the
// next one. It returns when nothing runs any more, or with ctx's error when
// that takes longer; stopping goes on then. A schedule that never started, or
// stopped before, stops at once.
func (s *Schedule) Stop(ctx context.Context) error {
	s.mu.Lock()
	if s.stopped == nil {
		s.stopped = make(chan struct{})
		if s.clock == nil {
			close(s.stopped)
		} else {
			s.cancel()
			go s.shutDown(s.clock)
		}
	}
	stopped := s.stopped
	s.mu.Unlock()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shutDown waits for the checks first: gocron spins while a job runs.
func (s *Schedule) shutDown(clock gocron.Scheduler) {
	defer close(s.stopped)
	s.checks.Wait()
	if err := clock.Shutdown(); err != nil {
		s.opts.OnError(fmt.Errorf("stop the schedule: %w", err))
	}
}

// wake is what gocron calls. A panic here would end the process, and hosts'
// callbacks run in it.
func (s *Schedule) wake(ctx context.Context) {
	s.mu.Lock()
	if s.stopped != nil || !s.one.TryLock() {
		s.mu.Unlock()
		return // the check that goes on sees all there is to do
	}
	s.checks.Add(1)
	s.mu.Unlock()
	defer s.checks.Done()
	defer s.one.Unlock()
	defer func() {
		if p := recover(); p != nil {
			s.opts.OnError(schema.ForeignPanic("the schedule", p))
		}
	}()
	if err := s.Check(ctx); err != nil && ctx.Err() == nil {
		s.opts.OnError(err)
	}
}

// Check runs the night of every user whose last local day is due, and what a
// [Trigger] asks for in between, now and here. It is what the schedule does each time it wakes; a host with a
// scheduler of its own may call it instead. Users are independent: one whose
// night fails does not keep the others from theirs.
//
// Errors: those of the nights, joined. [schema.ErrConflict], another process
// at the same job, is none.
func (s *Schedule) Check(ctx context.Context) error {
	var users []schema.User
	err := s.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) (err error) {
		users, err = snap.Users(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("which nights are due: %w", err)
	}
	var errs []error
	for i := range users {
		if err := ctx.Err(); err != nil {
			return err
		}
		user := &users[i]
		location, err := s.location(user)
		if err != nil {
			errs = append(errs, fmt.Errorf("user %d: %w", user.ID, err))
		}
		report, err := s.checkUser(ctx, user, location)
		switch {
		case errors.Is(err, schema.ErrConflict):
			return errors.Join(errs...) // another process is at it
		case err != nil:
			errs = append(errs, fmt.Errorf("user %d: %w", user.ID, err))
		}
		if report != nil {
			s.opts.OnReport(user.Scope(), report)
		}
	}
	return errors.Join(errs...)
}

// checkUser runs the user's night when it is due, or else what has reason not
// to wait for it.
func (s *Schedule) checkUser(ctx context.Context, user *schema.User, location *time.Location) (*Report, error) {
	if day, due := DueDay(s.opts.Now(), consolidatedThrough(user, location), location, s.at); due {
		report, err := s.runner.RunNight(ctx, user.Scope(), day)
		if err != nil {
			err = fmt.Errorf("night of %s: %w", day, err)
		}
		return report, err
	}
	if due, err := s.runner.triggered(ctx, user.ID); err != nil || !due {
		return nil, err
	}
	return s.runner.Run(ctx, user.Scope(), CauseTrigger)
}

// location is the user's zone. One that cannot be loaded is an error and the
// default zone: nights go on.
func (s *Schedule) location(user *schema.User) (*time.Location, error) {
	if user.TimeZone == "" {
		return s.opts.Location, nil
	}
	location, err := time.LoadLocation(user.TimeZone)
	if err != nil {
		return s.opts.Location, &schema.InvalidError{Field: "time_zone", Reason: fmt.Sprintf("%q is not known; use an IANA name such as Europe/Oslo", user.TimeZone)}
	}
	return location, nil
}

// consolidatedThrough is the day before the user's first when no night was
// run: there is nothing to do for the days before.
func consolidatedThrough(user *schema.User, location *time.Location) string {
	if user.NightsThrough != "" {
		return user.NightsThrough
	}
	return previousDay(user.CreatedAt.In(location)).Format(time.DateOnly)
}
