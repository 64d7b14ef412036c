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
	// OnDemand leaves out the night time and the hour: only [Schedule.Wake] has the
	// schedule check. Default false.
	OnDemand bool
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

	mu       sync.Mutex
	clock    gocron.Scheduler // nil before Start, and on demand
	work     context.Context  // of the checks; nil before Start
	cancel   context.CancelFunc
	checks   sync.WaitGroup
	stopped  chan struct{} // closed when nothing runs any more
	checking bool          // a check goes on; it does what is asked for meanwhile
	everyone bool          // a check of all users is asked for
	asked    map[schema.Scope]bool
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
	if s.work != nil || s.stopped != nil {
		return nil
	}
	if s.opts.OnDemand {
		s.work, s.cancel = context.WithCancel(context.Background())
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
		if _, err := clock.NewJob(when.definition, gocron.NewTask(func() { s.check(nil) }), when.options...); err != nil {
			cancel()
			return errors.Join(err, clock.Shutdown())
		}
	}
	s.clock, s.work, s.cancel = clock, work, cancel
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
		if s.work == nil {
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
	if clock == nil {
		return
	}
	if err := clock.Shutdown(); err != nil {
		s.opts.OnError(fmt.Errorf("stop the schedule: %w", err))
	}
}

// Wake has the schedule see at once, in the background, whether something is due
// for a user that could not wait for the hour: a cycle has begun, say. A schedule
// that does not run ignores it.
func (s *Schedule) Wake(scope schema.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil && s.stopped == nil {
		go s.check(&scope)
	}
}

// check sees what is due for one user, or with nil for all. One check goes on at a
// time: it also does what is asked for meanwhile.
func (s *Schedule) check(scope *schema.Scope) {
	s.mu.Lock()
	if s.stopped != nil {
		s.mu.Unlock()
		return
	}
	if scope == nil {
		s.everyone = true
	} else {
		if s.asked == nil {
			s.asked = make(map[schema.Scope]bool)
		}
		s.asked[schema.Scope{Tenant: scope.Tenant, User: scope.User}] = true
	}
	if s.checking {
		s.mu.Unlock()
		return
	}
	s.checking = true
	s.checks.Add(1)
	s.mu.Unlock()
	defer s.checks.Done()
	for s.next() {
	}
}

// next does what is asked for; it reports false when there is nothing. A panic
// here would end the process, and hosts' callbacks run in it.
func (s *Schedule) next() (more bool) {
	s.mu.Lock()
	everyone, asked := s.everyone, s.asked
	s.everyone, s.asked = false, nil
	if s.checking = s.stopped == nil && (everyone || len(asked) > 0); !s.checking {
		s.mu.Unlock()
		return false
	}
	s.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			s.opts.OnError(schema.ForeignPanic("the schedule", p))
		}
	}()
	more = true
	err := error(nil)
	if everyone {
		err = s.Check(s.work)
	} else {
		for scope := range asked {
			err = errors.Join(err, s.checkScope(s.work, scope))
		}
	}
	if err != nil && s.work.Err() == nil {
		s.opts.OnError(err)
	}
	return more
}

// checkScope is [Schedule.Check] of one user.
func (s *Schedule) checkScope(ctx context.Context, scope schema.Scope) error {
	var user *schema.User
	err := s.db.Read(ctx, func(ctx context.Context, snap *schema.Snapshot) error {
		id, err := snap.UserID(ctx, scope)
		if err != nil || id == 0 {
			return err
		}
		user, err = snap.UserByID(ctx, id)
		return err
	})
	if err != nil || user == nil {
		return err
	}
	if err := s.checkOne(ctx, user); !errors.Is(err, schema.ErrConflict) {
		return err
	}
	return nil // another process is at it
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
		err := s.checkOne(ctx, &users[i])
		if errors.Is(err, schema.ErrConflict) {
			return errors.Join(errs...) // another process is at it
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkOne runs what is due for a user, in the user's zone, and reports it.
func (s *Schedule) checkOne(ctx context.Context, user *schema.User) error {
	location, unknown := s.location(user)
	report, err := s.checkUser(ctx, user, location)
	if report != nil {
		s.opts.OnReport(user.Scope(), report)
	}
	if err = errors.Join(unknown, err); err != nil {
		return fmt.Errorf("user %d: %w", user.ID, err)
	}
	return nil
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
