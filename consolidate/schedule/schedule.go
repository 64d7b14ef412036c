// Package schedule runs the nights of [consolidate.Runner] when they are due.
//
//	nights, err := schedule.New(runner, db, schedule.Options{})
//	err = nights.Start(ctx)
//	defer nights.Stop(ctx)
//
// A timer for 01:00 misses the night in which daylight saving skips 01:00, and
// fires twice in the night that repeats it. The schedule asks instead, at start,
// at the night time and every hour, which users have a past local day that is
// not consolidated: see [DueDay].
package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// DefaultNightTime is the default local time at which a night is due.
const DefaultNightTime = "01:00"

// Options configure a [Schedule]. The zero value is the default.
type Options struct {
	// Now is the clock that determines which local days are over. Default time.Now.
	// The schedule itself wakes by the machine's clock.
	Now func() time.Time
	// Location is the time zone of users without one. Default time.Local.
	Location *time.Location
	// NightTime is the local time, "HH:MM", at which the day before is due.
	// Default [DefaultNightTime].
	NightTime string
	// OnDemand makes the schedule check only when [Schedule.Wake] is called. Default
	// false.
	OnDemand bool
	// OnError, if set, is called with the error of a failed night, which the
	// database records as well.
	OnError func(error)
	// OnReport, if set, is called after each night with its error. The report of one
	// that was interrupted has the state running, that of one that did not begin no
	// run id.
	OnReport func(schema.Scope, *consolidate.Report, error)
}

// Schedule runs nights in the background. At start, at the night time and every
// hour it checks which users have a past local day that is not consolidated. It is
// safe for concurrent use.
type Schedule struct {
	runner *consolidate.Runner
	db     *schema.DB
	opts   Options
	at     time.Duration // night time, since midnight

	mu        sync.Mutex
	clock     gocron.Scheduler // nil before Start, and on demand
	work      context.Context  // context of the checks; nil before Start
	cancel    context.CancelFunc
	checks    sync.WaitGroup
	stopped   chan struct{} // closed when all checks have ended
	checking  bool          // a check runs; it also serves new requests
	everyone  bool          // a check of all users is requested
	requested map[schema.Scope]bool
}

// New returns a schedule that is not started.
//
// Errors: [*schema.InvalidError] for an invalid night time.
func New(runner *consolidate.Runner, db *schema.DB, opts Options) (*Schedule, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Location = cmp.Or(opts.Location, time.Local)
	opts.NightTime = cmp.Or(opts.NightTime, DefaultNightTime)
	if opts.OnError == nil {
		opts.OnError = func(error) {}
	}
	if opts.OnReport == nil {
		opts.OnReport = func(schema.Scope, *consolidate.Report, error) {}
	}
	at, err := time.Parse("15:04", opts.NightTime)
	if err != nil {
		return nil, &schema.InvalidError{Field: "Options.NightTime", Reason: `must be a time of day such as "01:00"`}
	}
	return &Schedule{
		runner: runner, db: db, opts: opts,
		at: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute,
	}, nil
}

// Start starts the schedule with a check. ctx limits the start alone. Starting
// again, or after [Schedule.Stop], does nothing.
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
	// DailyJob and not CronJob, which needs the zone by name and skips a night
	// without that hour. The hourly job catches the rest.
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

// Stop stops the schedule and interrupts a running night, which the next night
// continues. It waits until nothing runs any more, or returns ctx's error while
// stopping continues. Stopping again, or before [Schedule.Start], is fine.
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

// Wake makes the schedule check one user now, in the background, for example
// because a cycle has begun. A schedule that does not run ignores it.
func (s *Schedule) Wake(scope schema.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil && s.stopped == nil {
		go s.check(&scope)
	}
}

// check checks one user, or all with nil. One check runs at a time and serves the
// requests that arrive meanwhile.
func (s *Schedule) check(scope *schema.Scope) {
	s.mu.Lock()
	if s.stopped != nil {
		s.mu.Unlock()
		return
	}
	if scope == nil {
		s.everyone = true
	} else {
		if s.requested == nil {
			s.requested = make(map[schema.Scope]bool)
		}
		s.requested[schema.Scope{Tenant: scope.Tenant, User: scope.User}] = true
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

// next serves the requests and returns false if there are none. It recovers from
// panics, which host callbacks may cause and which would end the process.
func (s *Schedule) next() (more bool) {
	s.mu.Lock()
	everyone, requested := s.everyone, s.requested
	s.everyone, s.requested = false, nil
	if s.checking = s.stopped == nil && (everyone || len(requested) > 0); !s.checking {
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
		for scope := range requested {
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
	err := s.db.ReadUser(ctx, scope, func(ctx context.Context, snap *schema.Snapshot, id int64) (err error) {
		user, err = snap.UserByID(ctx, id)
		return err
	})
	if err != nil || user == nil {
		return err
	}
	if err := s.checkOne(ctx, user); !runsElsewhere(err) {
		return err
	}
	return nil
}

// runsElsewhere reports whether a night failed because another process has its lease. A
// conflict within a stage is a failure of that stage.
func runsElsewhere(err error) bool {
	_, failed := errors.AsType[*consolidate.StageError](err)
	return !failed && errors.Is(err, schema.ErrConflict)
}

// Check runs the due nights of all users, and the runs that a [consolidate.Trigger] asks for.
// The schedule calls it each time it wakes; a host with its own scheduler may call
// it instead. A night that fails does not affect other users.
//
// Errors: those of the nights, joined. It returns none if another process does
// the same at that time ([schema.ErrConflict]). On a server, hosts share the users.
func (s *Schedule) Check(ctx context.Context) error {
	users, err := schema.Get(ctx, s.db, func(ctx context.Context, snap *schema.Snapshot) ([]schema.User, error) {
		return snap.Users(ctx)
	})
	if err != nil {
		return fmt.Errorf("which nights are due: %w", err)
	}
	if s.db.OnServer() { // other hosts do the same, and each begins elsewhere
		rand.Shuffle(len(users), func(i, j int) { users[i], users[j] = users[j], users[i] })
	}
	var errs []error
	for i := range users {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.db.OnServer() {
			errs = append(errs, s.checkScope(ctx, users[i].Scope()))
			continue
		}
		err := s.checkOne(ctx, &users[i])
		if runsElsewhere(err) {
			return errors.Join(errs...)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkOne runs what is due for a user, by the user's time zone, and reports it.
func (s *Schedule) checkOne(ctx context.Context, user *schema.User) error {
	location, unknown := s.location(user)
	report, err := s.checkUser(ctx, user, location)
	if report != nil {
		s.opts.OnReport(user.Scope(), report, err)
	}
	if err = errors.Join(unknown, err); err != nil {
		return fmt.Errorf("user %d: %w", user.ID, err)
	}
	return nil
}

// checkUser runs the user's night if it is due, or else a triggered run.
func (s *Schedule) checkUser(ctx context.Context, user *schema.User, location *time.Location) (*consolidate.Report, error) {
	if day, due := DueDay(s.opts.Now(), consolidatedThrough(user, location), location, s.at); due {
		report, err := s.runner.RunNight(ctx, user.Scope(), day)
		if err != nil {
			err = fmt.Errorf("night of %s: %w", day, err)
		}
		return report, err
	}
	if due, err := s.runner.Triggered(ctx, user.ID); err != nil || !due {
		return nil, err
	}
	return s.runner.Run(ctx, user.Scope(), consolidate.CauseTrigger)
}

// location returns the user's time zone. For an unknown one it returns an error
// and the default zone, with which nights continue.
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

// consolidatedThrough returns the user's last consolidated day or, before the
// first night, the day before the user was created.
func consolidatedThrough(user *schema.User, location *time.Location) string {
	if user.NightsThrough != "" {
		return user.NightsThrough
	}
	return previousDay(user.CreatedAt.In(location)).Format(time.DateOnly)
}
