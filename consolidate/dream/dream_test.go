package dream_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/recall/cognitive"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
)

var (
	ada   = schema.Scope{User: "ada"}
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// life is a memory with a clock.
type life struct {
	*testing.T
	db  *schema.DB
	now atomic.Int64
	n   int
}

func open(t *testing.T) *life {
	l := &life{T: t}
	l.now.Store(start.UnixMilli())
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{Now: func() time.Time { return time.UnixMilli(l.now.Load()).UTC() }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	l.db = db
	return l
}

func (l *life) set(days float64) {
	l.now.Store(start.Add(time.Duration(days * 24 * float64(time.Hour))).UnixMilli())
}

func (l *life) add(change func(*schema.Memory)) *schema.Memory {
	l.Helper()
	l.n++
	m := schema.Memory{
		Kind: schema.KindFact, Content: fmt.Sprint("fact ", l.n), Origin: schema.OriginAssistant, Trust: 2,
		Confidence: 0.8, Importance: 0.5, DecayRate: schema.DefaultDecayRate, Utility: 0.5, Stability: 1,
	}
	if change != nil {
		change(&m)
	}
	require.NoError(l, l.db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, ada); err != nil {
			return err
		}
		m.EventTime = schema.At(tx.Now)
		return tx.InsertMemory(ctx, &m, schema.PrepareChunks(m.Content, ""))
	}))
	return &m
}

func (l *life) get(m *schema.Memory) (got *schema.Memory) {
	l.Helper()
	require.NoError(l, l.db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		got, err = s.Memory(ctx, m.UserID, m.UID)
		return err
	}))
	return got
}

func (l *life) touch(m *schema.Memory) {
	l.Helper()
	require.NoError(l, l.db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.Touch(ctx, m.UserID, []string{m.UID}, tx.Now)
	}))
}

// night runs stages, by default the whole cycle.
func (l *life) night(stages ...consolidate.Stage) (*consolidate.Report, *consolidate.Runner) {
	l.Helper()
	if stages == nil {
		stages = dream.Stages(dream.Options{})
	}
	r, err := consolidate.NewRunner(l.db, nil, consolidate.RunnerOptions{Stages: stages, Retention: cognitive.Retention(retention.PowerLaw{})})
	require.NoError(l, err)
	report, err := r.Run(context.Background(), ada, consolidate.CauseManual)
	require.NoError(l, err)
	return report, r
}

func semantic(m *schema.Memory) { m.Attributes = schema.Attributes{schema.AttrTier: "semantic"} }

func user(m *schema.Memory) { m.Origin, m.Trust = schema.OriginUser, schema.MaxTrust }

func TestPromotion(t *testing.T) {
	l := open(t)
	used, twice := l.add(nil), l.add(nil)
	useful := l.add(func(m *schema.Memory) { m.Utility = 0.7 })
	pinned := l.add(func(m *schema.Memory) { m.Utility, m.Pinned = 0.9, true })
	protected := l.add(func(m *schema.Memory) { m.Utility, m.Protected = 0.9, true })
	l.set(1)
	for range 3 {
		l.touch(used)
	}
	l.touch(twice)
	l.touch(twice)
	tier := func(m *schema.Memory) string { return l.get(m).Attributes[schema.AttrTier] }
	l.night(dream.Tiers{})
	require.Equal(t, "semantic", tier(used))
	require.Empty(t, tier(twice))
	require.Empty(t, tier(useful), "it is not a week old")
	l.set(7)
	l.night(dream.Tiers{})
	require.Equal(t, "semantic", tier(useful))
	require.Empty(t, tier(pinned), "what is pinned stays where it is")
	require.Empty(t, tier(protected))
}

func TestThreeMemoriesOfOneEntityConverge(t *testing.T) {
	for n := 2; n <= 3; n++ {
		l := open(t)
		var about []*schema.Memory
		for range n {
			about = append(about, l.add(nil))
		}
		require.NoError(t, l.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			e, _, err := tx.ResolveEntity(ctx, about[0].UserID, "name", "Miso", 1)
			for _, m := range about {
				if err == nil {
					err = tx.LinkEntity(ctx, m.ID, e.ID, "Miso", 1)
				}
			}
			return err
		}))
		report, _ := l.night(dream.Tiers{})
		require.Equal(t, map[int]int{2: 0, 3: 3}[n], report.Changes())
	}
}

func TestDemotion(t *testing.T) {
	l := open(t)
	useless := func(m *schema.Memory) { semantic(m); m.Utility = 0.19 }
	gone := l.add(useless)
	liked := l.add(func(m *schema.Memory) { semantic(m); m.Utility = 0.2 })
	permanent := l.add(func(m *schema.Memory) { useless(m); user(m); m.Kind = schema.KindPreference })
	pinned := l.add(func(m *schema.Memory) { useless(m); m.Pinned = true })
	episodic := l.add(func(m *schema.Memory) { m.Utility = 0.19 })
	l.set(59)
	report, _ := l.night(dream.Tiers{})
	require.Zero(t, report.Changes())
	l.set(60)
	l.night(dream.Tiers{})
	require.Equal(t, schema.StateDormant, l.get(gone).State)
	for _, m := range []*schema.Memory{liked, permanent, pinned, episodic} {
		require.Equal(t, schema.StateActive, l.get(m).State)
	}
}

// S·1.5^k is the least stability by which .3 are left: 5 days in the episodic tier,
// where time runs threefold, ask for 15/(9·S) ≤ .8257, S ≥ 2.0184, k = 2.
func TestRehearsal(t *testing.T) {
	l := open(t)
	endangered := l.add(nil)
	useless := l.add(func(m *schema.Memory) { m.Utility = 0.49 })
	important := l.add(func(m *schema.Memory) { m.Utility, m.Importance = 0.1, 0.6 })
	slow := l.add(semantic)
	l.set(5)
	l.night(dream.Options{}.Rehearsal())
	require.InDelta(t, 2.25, l.get(endangered).Stability, 1e-12)
	require.InDelta(t, 1, l.get(useless).Stability, 0)
	require.InDelta(t, 2.25, l.get(important).Stability, 1e-12)
	require.InDelta(t, 1, l.get(slow).Stability, 0, "at .41 of its strength it is not endangered")
	report, _ := l.night(dream.Options{}.Rehearsal())
	require.Zero(t, report.Changes())
	l.set(30)
	report, _ = l.night(dream.Options{}.Rehearsal())
	require.Equal(t, 1, report.Changes(), "only what the slow tier holds can still be saved within a stability of 10")
}

func TestRehearsalLimit(t *testing.T) {
	l := open(t)
	for range 53 {
		l.add(nil)
	}
	l.set(5)
	report, _ := l.night(dream.Options{}.Rehearsal())
	require.Equal(t, 50, report.Changes())
	report, _ = l.night(dream.Options{}.Rehearsal())
	require.Zero(t, report.Changes())
}

func TestForesight(t *testing.T) {
	l := open(t)
	until := func(days int) func(*schema.Memory) {
		return func(m *schema.Memory) { m.ValidUntil = schema.At(start.AddDate(0, 0, days)) }
	}
	over, lasting := l.add(until(2)), l.add(until(30))
	plan := l.add(func(m *schema.Memory) { m.Attributes = schema.Attributes{schema.AttrTemporal: schema.TemporalPlan} })
	ahead := l.add(func(m *schema.Memory) {
		m.Attributes, m.ValidFrom = schema.Attributes{schema.AttrTemporal: schema.TemporalPlan}, schema.At(start.AddDate(0, 0, 60))
	})
	fact := l.add(nil)
	l.set(7.5)
	l.night(dream.Options{}.Foresight())
	require.Equal(t, schema.StateActive, l.get(ahead).State)
	require.Equal(t, schema.StateDormant, l.get(over).State)
	require.Equal(t, start.AddDate(0, 0, 2), l.get(over).ValidUntil.Time, "its end is not touched")
	require.Equal(t, schema.StateDormant, l.get(plan).State)
	require.True(t, l.get(plan).ValidUntil.IsZero(), "a plan that has passed was no false one")
	require.Equal(t, schema.StateActive, l.get(lasting).State)
	require.Equal(t, schema.StateActive, l.get(fact).State)
	for _, night := range []struct {
		days  float64
		state schema.State
	}{{59, schema.StateActive}, {66, schema.StateActive}, {67.5, schema.StateDormant}} {
		l.set(night.days)
		l.night(dream.Forgetting{}, dream.Options{}.Foresight())
		require.Equal(t, night.state, l.get(ahead).State, "%v days", night.days)
	}
}

func TestForgetting(t *testing.T) {
	l := open(t)
	faded, used := l.add(nil), l.add(nil)
	for range 4 {
		l.touch(used)
	}
	decision := l.add(func(m *schema.Memory) { m.Attributes = schema.Attributes{schema.AttrType: "decision"} })
	useless := l.add(func(m *schema.Memory) { semantic(m); m.Stability, m.Utility = 10, 0.14 })
	told := l.add(func(m *schema.Memory) { user(m); m.Utility = 0.1 })
	l.set(13)
	report, _ := l.night(dream.Forgetting{})
	require.Zero(t, report.Changes(), "facts stay for 14 days at least")
	l.set(29)
	l.night(dream.Forgetting{})
	require.Equal(t, schema.StateDormant, l.get(faded).State, "strength .8·(1 + 87/9)^−2")
	require.Equal(t, schema.StateActive, l.get(decision).State, "decisions stay for 45 days")
	require.Equal(t, schema.StateActive, l.get(useless).State)
	l.set(46)
	l.night(dream.Forgetting{})
	require.Equal(t, schema.StateDormant, l.get(decision).State)
	require.Equal(t, schema.StateDormant, l.get(useless).State)
	l.set(400)
	l.night(dream.Forgetting{})
	require.Equal(t, schema.StateActive, l.get(used).State, "it was used more often than the mean (BCM)")
	require.Equal(t, schema.StateActive, l.get(told).State, "what lasts, in the user's own words, is permanent")
}

func TestCapacity(t *testing.T) {
	l := open(t)
	var all []*schema.Memory
	for i := range 12 {
		all = append(all, l.add(func(m *schema.Memory) { m.Utility = float64(i) / 12 }))
	}
	report, _ := l.night(dream.Forgetting{Options: dream.Options{Capacity: 11, Trimmed: 9}})
	require.Equal(t, 3, report.Changes())
	for i, m := range all {
		require.Equal(t, i < 3, l.get(m).State == schema.StateDormant)
	}
}

func TestCapacityKeepsWhatLasts(t *testing.T) {
	l := open(t)
	lasting := l.add(func(m *schema.Memory) { user(m); m.Content = "I'm allergic to nuts" })
	minor, major := l.add(func(m *schema.Memory) { m.Importance = 0.4 }), l.add(nil)
	later := l.add(func(m *schema.Memory) { m.Importance = 0.3 })
	l.night(dream.Forgetting{Options: dream.Options{Capacity: 3, Trimmed: 2}})
	states := []schema.State{l.get(lasting).State, l.get(minor).State, l.get(major).State, l.get(later).State}
	require.Equal(t, []schema.State{schema.StateActive, schema.StateDormant, schema.StateActive, schema.StateDormant}, states)
}

// rows is every memory as it is stored.
func (l *life) rows() (all []string) {
	l.Helper()
	require.NoError(l, l.db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		rows, err := s.Query(ctx, `SELECT json_array(uid, state, confidence, importance, access_count, last_accessed, decay_rate, stability, utility,
			protected, pinned, trust, attributes, valid_until, version) FROM memories ORDER BY id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var row string
			require.NoError(l, rows.Scan(&row))
			all = append(all, row)
		}
		return rows.Err()
	}))
	return all
}

func (l *life) populate() {
	for i := range 20 {
		l.add(func(m *schema.Memory) {
			m.Utility, m.Importance, m.Stability = float64(i)/20, float64((7*i)%20)/20, 1+float64(i%9)
			switch i % 5 {
			case 0:
				semantic(m)
			case 1:
				user(m)
			case 2:
				m.Kind = schema.KindReflection
			case 3:
				m.Attributes = schema.Attributes{schema.AttrTemporal: schema.TemporalPlan}
			}
			m.Pinned = i == 7
		})
	}
}

var nightly = flag.Bool("year", false, "a night on each day of a year, not on some")

// profiles are the nights of the profiles whose memories fade by formulas of their own,
// with what is left of a fact that is never used.
var profiles = map[string]struct {
	stages []consolidate.Stage
	left   func(m *schema.Memory, now time.Time) float64
	want   func(days float64) float64
	every  int // days between the nights of a year, without -year
}{
	"cognitive": {
		dream.Stages(dream.Options{}), cognitive.Retention(retention.PowerLaw{}).Of,
		func(days float64) float64 { return math.Pow(1+3*days/9, -2) }, 3,
	},
	"fourstores": {
		fourstores.Stages(stores.Document(), stores.Curve{}), stores.Document().Retention(stores.Curve{}).Of,
		func(days float64) float64 { return min(1, 1.2*math.Exp(-0.03*days)) }, 5,
	},
}

func TestSecondNightIsIdempotent(t *testing.T) {
	for name, profile := range profiles {
		for _, days := range []float64{1, 6, 10, 20, 40, 70, 365} {
			l := open(t)
			l.populate()
			l.set(days)
			before := l.rows()
			report, r := l.night(profile.stages...)
			after := l.rows()
			again, _ := l.night(profile.stages...)
			require.Zero(t, again.Changes(), "%s, day %v: %s", name, days, again.Summary())
			require.Equal(t, after, l.rows())
			undone, err := r.Rollback(t.Context(), ada, report.RunID)
			require.NoError(t, err)
			require.Empty(t, undone.Kept)
			require.Equal(t, before, l.rows(), "%s, day %v", name, days)
		}
	}
}

// Nothing of retention and utility is written, so a year of nights, nights now and then,
// and one night leave the same: the formula's value. What nights do change, they change for good reason,
// and what is used a hundred times is as stable either way.
func TestYearOfNightsEqualsOne(t *testing.T) {
	racing.Alone(t)
	random := rand.New(rand.NewPCG(5, 6))
	for name, profile := range profiles {
		year := func(every int, populated bool) []string {
			l := open(t)
			m := l.add(func(m *schema.Memory) { m.Utility, m.Importance = 0.4, 0.3 }) // not rehearsed
			told := l.add(func(m *schema.Memory) { user(m); m.Utility = 0.4 })
			kept := l.add(func(m *schema.Memory) { user(m); m.Protected = true })
			if populated {
				l.populate()
			}
			for day := 0; day < 365; {
				if day += every; every == 0 {
					day += 1 + random.IntN(60)
				}
				day = min(day, 365)
				l.set(float64(day))
				l.night(profile.stages...)
				now := start.AddDate(0, 0, day)
				got := l.get(m)
				require.InDelta(t, profile.want(float64(day)), profile.left(got, now), 1e-12, name)
				require.InDelta(t, 0.5-0.1*math.Exp(-0.01*float64(day)), cognitive.Utility(got, now), 1e-12)
				require.InDelta(t, 1, profile.left(l.get(kept), now), 0)
			}
			require.Equal(t, []schema.State{schema.StateDormant, schema.StateActive}, []schema.State{l.get(m).State, l.get(told).State}, name)
			return l.ends()
		}
		every := profile.every
		if *nightly {
			every = 1
		}
		require.Equal(t, year(365, false), year(every, false), "%s: one night, and nights all year", name)
		once := year(365, true)
		require.Equal(t, once, year(30, true), "%s: one night, and one a month", name)
		require.Equal(t, once, year(0, true), "%s: one night, and nights now and then", name)
	}
}

// ends are the state, the tier and the utility of every memory.
func (l *life) ends() (all []string) {
	l.Helper()
	require.NoError(l, l.db.Read(l.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		all, err = schema.Column[string](ctx, s.Query, "SELECT json_array(content, state, utility, importance, json_extract(attributes, '$.tier')) FROM memories ORDER BY id")
		return err
	}))
	return all
}

func TestAHundredUses(t *testing.T) {
	l := open(t)
	m := l.add(nil)
	for i := range 100 {
		l.set(float64(i+1) / 24)
		l.touch(m)
	}
	require.InDelta(t, min(10, math.Pow(1.02, 100)), l.get(m).Stability, 1e-12)
	for i := range 100 {
		l.set(100 + float64(i)/24)
		l.touch(m)
	}
	require.InDelta(t, 10, l.get(m).Stability, 0)
}

func message(arousal string, change func(*schema.Memory)) func(*schema.Memory) {
	return func(m *schema.Memory) {
		m.Kind, m.Role, m.DecayRate, m.Confidence, m.Importance = schema.KindEpisode, "user", 0, 1, 0.4
		user(m)
		m.Attributes = schema.Attributes{schema.AttrArousal: arousal}
		if change != nil {
			change(m)
		}
	}
}

func TestFlashbulbs(t *testing.T) {
	l := open(t)
	vivid, calm := l.add(message("0.8", nil)), l.add(message("0.79", nil))
	page := l.add(message("1", func(m *schema.Memory) { m.Origin, m.Trust = schema.OriginToolExternal, 1 }))
	vouched := l.add(message("1", func(m *schema.Memory) { m.Trust = 3 }))
	odd := l.add(message("loud", nil))
	report, _ := l.night(dream.Emotions{})
	require.Equal(t, 1, report.Changes())
	got := l.get(vivid)
	require.True(t, got.Pinned)
	require.False(t, got.Protected)
	require.InDelta(t, 0.9, got.Importance, 0)
	require.InDelta(t, 1.5, got.Stability, 1e-12)
	for _, m := range []*schema.Memory{calm, page, vouched, odd} {
		require.False(t, l.get(m).Pinned, "shouting pins nothing")
	}
	report, _ = l.night(dream.Emotions{})
	require.Zero(t, report.Changes())
	for range 30 {
		l.add(message("0.9", nil))
	}
	report, _ = l.night(dream.Emotions{})
	require.Equal(t, 19, report.Changes(), "no more than 20 are pinned")
	report, _ = l.night(dream.Emotions{})
	require.Zero(t, report.Changes())
}

func TestCapture(t *testing.T) {
	l := open(t)
	var sessions [2]int64
	require.NoError(t, l.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		id, err := tx.UserID(ctx, ada)
		for i := range sessions {
			if err == nil {
				sessions[i], err = tx.SessionID(ctx, id, fmt.Sprint(i))
			}
		}
		return err
	}))
	tag := func(session int) func(*schema.Memory) {
		return message("0.1", func(m *schema.Memory) {
			m.SessionID = sessions[session]
			m.Attributes[schema.AttrTagged] = start.Add(4 * time.Hour).Format(time.RFC3339)
		})
	}
	captured, elsewhere := l.add(tag(0)), l.add(tag(1))
	l.set(3.0 / 24)
	l.add(message("0.1", func(m *schema.Memory) { m.SessionID, m.Importance = sessions[0], 0.7 }))
	l.set(5.0 / 24)
	l.add(message("0.1", func(m *schema.Memory) { m.SessionID, m.Importance = sessions[1], 0.9 })) // too late
	report, r := l.night(dream.Replay{})
	require.Equal(t, 2, report.Changes())
	require.InDelta(t, 1.3, l.get(captured).Stability, 1e-12)
	require.InDelta(t, 1, l.get(elsewhere).Stability, 0)
	require.Empty(t, l.get(captured).Attributes[schema.AttrTagged])
	require.Empty(t, l.get(elsewhere).Attributes[schema.AttrTagged], "its tag is over")
	again, _ := l.night(dream.Replay{})
	require.Zero(t, again.Changes())
	_, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.InDelta(t, 1, l.get(captured).Stability, 0)
	require.NotEmpty(t, l.get(captured).Attributes[schema.AttrTagged])
}
