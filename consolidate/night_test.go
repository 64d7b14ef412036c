package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/ask"
	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

var (
	ada   = schema.Scope{User: "ada"}
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// clock is a settable time for the database.
type clock struct{ now atomic.Int64 }

func (c *clock) set(t time.Time) { c.now.Store(t.UnixMilli()) }
func (c *clock) time() time.Time { return time.UnixMilli(c.now.Load()).UTC() }

// aged opens a database whose clock stands at start and can be moved.
func aged(t testing.TB) (*schema.DB, *clock) {
	t.Helper()
	c := &clock{}
	c.set(start)
	return open(t, func(o *schema.Options) { o.Now = c.time }), c
}

// derived stores a fact that a model drew, fading as facts do.
func derived(t testing.TB, db *schema.DB, content string, change ...func(*schema.Memory)) *schema.Memory {
	t.Helper()
	m := schema.Memory{
		Kind: schema.KindFact, Content: content, Origin: schema.OriginAssistant, Trust: 2,
		Confidence: 0.8, Importance: 0.5, DecayRate: schema.DefaultDecayRate,
	}
	for _, f := range change {
		f(&m)
	}
	return remember(t, db, ada, m)
}

func runner(t testing.TB, db *schema.DB, change ...func(*consolidate.RunnerOptions)) *consolidate.Runner {
	t.Helper()
	var opts consolidate.RunnerOptions
	for _, f := range change {
		f(&opts)
	}
	r, err := consolidate.NewRunner(db, nil, opts)
	require.NoError(t, err)
	return r
}

// uncapped lets a night retire every memory.
func uncapped(o *consolidate.RunnerOptions) {
	everything := 1.0
	o.RetirementCap = &everything
}

// stage is a stage made of a function.
type stage struct {
	name string
	fn   func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error)
}

func (s stage) Name() string { return s.name }
func (s stage) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	proposals, err := s.fn(ctx, in)
	if err != nil {
		return err
	}
	_, err = apply(ctx, proposals...)
	return err
}

func stages(list ...consolidate.Stage) func(*consolidate.RunnerOptions) {
	return func(o *consolidate.RunnerOptions) { o.Stages = list }
}

func TestProposalsAreRevalidated(t *testing.T) {
	db, c := aged(t)
	faded := derived(t, db, "faded")
	stated := derived(t, db, "I said so", func(m *schema.Memory) { m.Origin, m.Trust = schema.OriginUser, 4 })
	episode := remember(t, db, ada, schema.Memory{Content: "hello", Confidence: 1})
	guarded := derived(t, db, "protected", func(m *schema.Memory) { m.Protected = true })
	theirs := remember(t, db, schema.Scope{User: "bob"}, schema.Memory{Kind: schema.KindFact, Content: "Bob's", DecayRate: .1})
	c.set(start.AddDate(1, 0, 0))
	used := derived(t, db, "used while the stage thought", func(m *schema.Memory) { m.CreatedAt = schema.At(start) })

	careless := stage{"careless", func(ctx context.Context, in *consolidate.Input) ([]consolidate.Proposal, error) {
		require.NoError(t, in.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			return tx.Touch(ctx, in.UserID, []string{used.UID}, in.Now)
		}))
		return []consolidate.Proposal{
			consolidate.Retire{UID: stated.UID, Version: 1}, consolidate.Retire{UID: episode.UID, Version: 1},
			consolidate.MakeDormant{UID: guarded.UID, Version: 1}, consolidate.Retire{UID: theirs.UID, Version: 1},
			consolidate.Retire{UID: used.UID, Version: 1}, consolidate.Retire{UID: faded.UID, Version: 7},
			consolidate.Retire{UID: faded.UID, Version: 1}, consolidate.Retire{UID: faded.UID, Version: 1},
			consolidate.Retire{UID: "no such id", Version: 1},
		}, nil
	}}
	report, err := runner(t, db, stages(careless), uncapped).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	outcomes := report.Stages[0].Outcomes
	require.Len(t, outcomes, 9)
	for i, o := range outcomes {
		if i == 6 {
			require.Equal(t, consolidate.Applied, o.Status)
			continue
		}
		require.Equal(t, consolidate.Rejected, o.Status, "%d %s", i, o.Reason)
		require.NotEmpty(t, o.Reason)
	}
	require.Equal(t, schema.StateRetired, reread(t, db, faded).State)
	for _, m := range []*schema.Memory{stated, episode, guarded, theirs, used} {
		require.Equal(t, schema.StateActive, reread(t, db, m).State, m.Content)
	}
}

func TestStageThatFailsDoesNotStopTheOthers(t *testing.T) {
	db, c := aged(t)
	faded := derived(t, db, "faded")
	c.set(start.AddDate(1, 0, 0))
	broken := stage{"broken", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
		return nil, errors.New("the model is away")
	}}
	panics := stage{"panics", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) { panic("oh no") }}
	var progress []string
	r := runner(t, db, stages(broken, panics, consolidate.Prune{}), uncapped, func(o *consolidate.RunnerOptions) {
		o.Progress = func(p consolidate.Progress) { progress = append(progress, fmt.Sprint(p.Stage, p.StagesDone, p.Stages)) }
	})
	report, err := r.RunNight(t.Context(), ada, "2027-02-28")
	var failed *consolidate.StageError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, "broken", failed.Stage)
	var panicked *consolidate.PanicError
	require.ErrorAs(t, err, &panicked)
	require.Contains(t, string(panicked.Stack), "night_test.go")
	require.Equal(t, "failed", report.State)
	require.Equal(t, []string{"broken0 3", "panics1 3", "prune2 3", "3 3"}, progress)
	require.Equal(t, schema.StateRetired, reread(t, db, faded).State)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserByID(ctx, faded.UserID)
		require.NoError(t, err)
		require.Empty(t, user.NightsThrough, "a failed night does not use up its day")
		failures, err := schema.Failures(ctx, s)
		require.NoError(t, err)
		require.Len(t, failures, 1)
		require.Equal(t, "night", failures[0].Source)
		require.NotContains(t, failures[0].Error, ".go:", "the ledger holds no stack")
		return nil
	}))
	_, err = runner(t, db).RunNight(t.Context(), ada, "2027-02-28")
	require.NoError(t, err)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserByID(ctx, faded.UserID)
		require.Equal(t, "2027-02-28", user.NightsThrough)
		failures, err2 := schema.Failures(ctx, s)
		require.Empty(t, failures, "a night that goes well clears what failed")
		return errors.Join(err, err2)
	}))
}

// A failed night is tried again every hour of its day, but not with a new budget.
func TestAttemptsAtANightShareItsBudget(t *testing.T) {
	db, c := aged(t)
	derived(t, db, "tea")
	c.set(start.AddDate(0, 0, 3))
	greedy := stage{"greedy", func(ctx context.Context, in *consolidate.Input) ([]consolidate.Proposal, error) {
		for {
			if err := in.Model.Ask(ctx, ask.Prompt{Name: "more", Version: 1}, func(func(any) error) error { return nil }); err != nil {
				return nil, err
			}
		}
	}}
	broken := stage{"broken", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
		return nil, errors.New("broken")
	}}
	r := runner(t, db, stages(greedy, broken), func(o *consolidate.RunnerOptions) {
		o.Model, o.Budget = llmtest.Says("{}"), ask.Budget{Calls: 5}
	})
	for _, night := range []struct {
		day   string
		calls int
	}{{"2026-03-02", 5}, {"2026-03-02", 0}, {"2026-03-03", 5}} {
		report, err := r.RunNight(t.Context(), ada, night.day)
		require.Error(t, err)
		require.Equal(t, night.calls, report.Usage.Calls, night.day)
		require.True(t, report.Stages[0].OutOfBudget)
	}
	for range 2 {
		report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.Error(t, err)
		require.Equal(t, 5, report.Usage.Calls, "each run on request has its own budget")
	}
}

// A clock that was ten years ahead for one night ends neither the nights after it, nor what a
// day may retire, nor what a trigger asks for.
func TestNightsGoOnAfterAWrongClock(t *testing.T) {
	db, c := aged(t)
	var faded []*schema.Memory
	for _, content := range []string{"one", "two", "three"} {
		faded = append(faded, derived(t, db, content))
	}
	retired := func() (n int) {
		for _, m := range faded {
			if reread(t, db, m).State == schema.StateRetired {
				n++
			}
		}
		return n
	}
	asks := trigger{stage{"asks", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) { return nil, nil }}}
	r := runner(t, db, stages(asks, consolidate.Prune{}), func(o *consolidate.RunnerOptions) {
		o.Model = llmtest.Says("{}")
	})
	c.set(start.AddDate(10, 0, 0))
	_, err := r.RunNight(t.Context(), ada, "2036-02-29")
	require.NoError(t, err)
	require.Equal(t, 1, retired(), "a day retires one")

	c.set(start.AddDate(1, 0, 0))
	due, err := r.Triggered(t.Context(), faded[0].UserID)
	require.NoError(t, err)
	require.True(t, due, "the pause after a run in the future is no pause")
	s, err := schedule.New(r, db, schedule.Options{Now: c.time, Location: time.UTC})
	require.NoError(t, err)
	require.NoError(t, s.Check(t.Context()))
	require.Equal(t, 2, retired())
	require.NoError(t, s.Check(t.Context()))
	require.Equal(t, 2, retired(), "the day is done")
	c.set(start.AddDate(1, 0, 1))
	require.NoError(t, s.Check(t.Context()))
	require.Equal(t, 3, retired())
}

// Two processes whose clocks are days apart each run one night of their day, not one after the
// other for ever.
func TestNightsOfClocksThatDiffer(t *testing.T) {
	db, c := aged(t)
	derived(t, db, "tea")
	c.set(start.AddDate(0, 0, 10))
	var nights []string
	var both []*schedule.Schedule
	for _, ahead := range []int{0, 5} {
		now := func() time.Time { return c.time().AddDate(0, 0, ahead) }
		counts := stage{"counts", func(_ context.Context, in *consolidate.Input) ([]consolidate.Proposal, error) {
			nights = append(nights, fmt.Sprint(ahead, " ", in.Now.Format(time.DateOnly)))
			return nil, nil
		}}
		r := runner(t, db, stages(counts), func(o *consolidate.RunnerOptions) { o.Now = now })
		s, err := schedule.New(r, db, schedule.Options{Now: now, Location: time.UTC, NightTime: "01:00"})
		require.NoError(t, err)
		both = append(both, s)
	}
	first := start.Truncate(24*time.Hour).AddDate(0, 0, 10)
	for hour := range 3 * 24 {
		c.set(first.Add(time.Hour + time.Duration(hour)*time.Hour))
		for _, s := range both {
			require.NoError(t, s.Check(t.Context()))
		}
	}
	want := []string{}
	for night := range 3 {
		for _, ahead := range []int{0, 5} {
			want = append(want, fmt.Sprint(ahead, " ", first.AddDate(0, 0, night+ahead).Format(time.DateOnly)))
		}
	}
	require.Equal(t, want, nights)
}

// trigger is a stage that asks for a run unless one ran within the pause.
type trigger struct{ stage }

func (trigger) Due(context.Context, *schema.Snapshot, int64) (consolidate.Urgency, error) {
	return consolidate.DueLater, nil
}

func TestInterruptedRunResumes(t *testing.T) {
	db, c := aged(t)
	faded := derived(t, db, "faded")
	c.set(start.AddDate(1, 0, 0))
	calls := make(map[string]int)
	count := func(name string) consolidate.Stage {
		return stage{name, func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
			calls[name]++
			return nil, nil
		}}
	}
	ctx, kill := context.WithCancel(t.Context())
	killed := stage{"last", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
		calls["last"]++
		if calls["last"] == 1 {
			kill()
		}
		return nil, nil
	}}
	r := runner(t, db, stages(count("first"), consolidate.Prune{}, killed), uncapped)
	first, err := r.RunNight(ctx, ada, "2027-02-28")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, schema.StateRetired, reread(t, db, faded).State)

	second, err := r.RunNight(t.Context(), ada, "2027-02-28")
	require.NoError(t, err)
	require.True(t, second.Resumed)
	require.Equal(t, first.RunID, second.RunID)
	require.Equal(t, map[string]int{"first": 1, "last": 2}, calls, "finished stages are not repeated")
	require.Len(t, second.Stages, 3)
	require.Equal(t, 1, second.Changes())

	third, err := r.RunNight(t.Context(), ada, "2027-02-28")
	require.NoError(t, err)
	require.Empty(t, third.RunID, "the day is done")
	require.Equal(t, 2, calls["last"])
}

func TestRunOfAnotherCauseEndsInterrupted(t *testing.T) {
	db, _ := aged(t)
	m := derived(t, db, "fact")
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES ('x', ?, 'night', 'running', 1)", m.UserID)
		return err
	}))
	report, err := runner(t, db).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.False(t, report.Resumed)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var state string
		err := s.NewRaw("SELECT state FROM runs WHERE uid = 'x'").Scan(ctx, &state)
		require.Equal(t, "failed", state)
		return err
	}))
}

func TestLostLeaseFencesOldRunner(t *testing.T) {
	db, c := aged(t)
	faded := derived(t, db, "faded")
	c.set(start.AddDate(1, 0, 0))
	robbed := stage{"robbed", func(ctx context.Context, in *consolidate.Input) ([]consolidate.Proposal, error) {
		// As if this process had slept and another had taken over.
		return []consolidate.Proposal{consolidate.Retire{UID: faded.UID, Version: 1}}, in.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE leases SET holder = 'other', term = term + 1 WHERE name LIKE 'night%'")
			return err
		})
	}}
	_, err := runner(t, db, stages(robbed), uncapped).Run(t.Context(), ada, consolidate.CauseManual)
	require.ErrorIs(t, err, schema.ErrConflict)
	require.Equal(t, schema.StateActive, reread(t, db, faded).State)
}

func TestKilledRunnerIsReplacedWithinASecondOrTwo(t *testing.T) {
	pgtest.FileOnly(t, "virtual time, which a server does not have")
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		remember(t, db, ada, schema.Memory{Content: "hello", Confidence: 1})
		_, err := db.AcquireLease(t.Context(), "night", "killed", time.Second)
		require.NoError(t, err)
		began := time.Now()
		_, err = runner(t, db).Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Less(t, time.Since(began), 1500*time.Millisecond, "in virtual time: the lease has to run out")
	})
}

func TestOneRunPerDatabase(t *testing.T) {
	db, _ := aged(t)
	derived(t, db, "fact")
	inside, leave := make(chan struct{}), make(chan struct{})
	slow := stage{"slow", func(_ context.Context, _ *consolidate.Input) ([]consolidate.Proposal, error) {
		close(inside)
		<-leave
		return nil, nil
	}}
	done := make(chan error, 1)
	go func() {
		_, err := runner(t, db, stages(slow)).Run(context.Background(), ada, consolidate.CauseManual)
		done <- err
	}()
	<-inside
	_, err := runner(t, db).Run(t.Context(), ada, consolidate.CauseManual)
	require.ErrorIs(t, err, schema.ErrConflict, "the other runner renews its lease while a stage thinks")
	close(leave)
	require.NoError(t, <-done)
	_, err = runner(t, db).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
}

func TestRunnerRefusesByField(t *testing.T) {
	db, _ := aged(t)
	field := func(err error) string {
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid)
		return invalid.Field
	}
	for _, v := range []float64{-.1, 1.1} {
		_, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{RetirementCap: &v})
		require.Equal(t, "RunnerOptions.RetirementCap", field(err))
	}
	_, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{Stages: []consolidate.Stage{consolidate.Prune{}, consolidate.Prune{}}})
	require.Equal(t, "RunnerOptions.Stages", field(err))
	r := runner(t, db)
	_, err = r.Run(t.Context(), schema.Scope{}, consolidate.CauseManual)
	require.Equal(t, "Scope.User", field(err))
	_, err = r.Run(t.Context(), ada, "because")
	require.Equal(t, "cause", field(err))
	_, err = r.RunNight(t.Context(), ada, "yesterday")
	require.Equal(t, "day", field(err))
	report, err := r.Run(t.Context(), schema.Scope{User: "nobody"}, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, "nothing to consolidate", report.Summary())
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		users, err := s.Users(ctx)
		require.Empty(t, users, "asking about nobody creates nobody")
		return err
	}))
}
