package consolidate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

// team lives 100 cycles of 18 minutes, with a record in each, and returns the
// cycles in which the model was asked to reflect. Nights come in between.
func team(t *testing.T, answer func(asked int) string) (reflected []int) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		cycle := 0
		var mu sync.Mutex
		model := llmtest.Model(func(prompt string) string {
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(prompt, "high-level questions") {
				return `{"insights":[]}`
			}
			reflected = append(reflected, cycle)
			return answer(len(reflected))
		})
		stage := consolidate.Reflect{Threshold: 1e6, Sessions: -1, Cycles: 10, Everyone: true, MinImportance: 5}
		schedule, err := schedule.New(runner(t, db, stages(stage), func(o *consolidate.RunnerOptions) { o.Model = model }), db,
			schedule.Options{Location: time.UTC, OnError: func(error) {}})
		require.NoError(t, err)
		require.NoError(t, schedule.Start(t.Context()))
		defer func() { require.NoError(t, schedule.Stop(context.Background())) }()
		for n := 1; n <= 100; n++ {
			said(t, db, "", "", fmt.Sprintf("Merged fix %d after a review.", n), time.Now(), func(m *schema.Memory) {
				m.Role, m.Origin, m.Trust, m.Importance = "assistant", schema.OriginToolInternal, 3, .7
			})
			mu.Lock()
			cycle = n
			mu.Unlock()
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, ada)
				if err != nil {
					return err
				}
				return tx.SetCycle(ctx, userID, int64(n), false)
			}))
			schedule.Wake(ada)
			time.Sleep(18 * time.Minute)
			synctest.Wait()
		}
	})
	return reflected
}

const useful = `{"questions":["What do reviews cost?"]}`

// The pause between runs and the hourly look made it every 24 cycles or so.
func TestATeamReflectsEveryTenCycles(t *testing.T) {
	require.Equal(t, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, team(t, func(int) string { return useful }))
}

// A model of no use is left alone for six hours, 20 cycles, and twice asked each time.
func TestReflectionBackoff(t *testing.T) {
	asked := team(t, func(int) string { return "I would rather not." })
	require.LessOrEqual(t, len(asked), 14, asked)
	require.Equal(t, 10, asked[0])
}

func TestTooFewRecordsDoNotCountAsReflection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		var asked []string
		model := llmtest.Model(func(prompt string) string {
			asked = append(asked, time.Now().Format("15:04"))
			return useful
		})
		r := runner(t, db, stages(consolidate.Reflect{Sessions: 2}), func(o *consolidate.RunnerOptions) { o.Model = model })
		schedule, err := schedule.New(r, db, schedule.Options{Location: time.UTC})
		require.NoError(t, err)
		require.NoError(t, schedule.Start(t.Context()))
		defer func() { require.NoError(t, schedule.Stop(context.Background())) }()
		time.Sleep(9*time.Hour + time.Minute)
		said(t, db, "one", "", "It is raining in Ghent.", time.Now())
		said(t, db, "two", "", "Noted.", time.Now(), func(m *schema.Memory) { m.Role = "assistant" })
		time.Sleep(time.Hour) // the threshold is passed, and one record is the user's
		said(t, db, "two", "", "The tram is late in Ghent.", time.Now())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.NotEmpty(t, asked)
		require.Equal(t, "11:00", asked[0], "at the next hour, not six hours later")
	})
}

// A process without a model, such as one of an editor, may take each night's day.
func TestMessagesThatANightLeftAreReadWhereThereIsAModel(t *testing.T) {
	db, c := aged(t)
	owner := said(t, db, "a", "", "My sister Rosa moved to Oslo.", start).UserID
	asked := 0
	model := llmtest.Model(func(string) string { asked++; return `{"facts":[]}` })
	without := runner(t, db, stages(consolidate.Extract{}))
	with := runner(t, db, stages(consolidate.Extract{}), func(o *consolidate.RunnerOptions) { o.Model = model })
	look := func() {
		for _, r := range []*consolidate.Runner{without, with} {
			s, err := schedule.New(r, db, schedule.Options{Now: c.time, Location: time.UTC})
			require.NoError(t, err)
			require.NoError(t, s.Check(t.Context()))
		}
	}
	c.set(start.AddDate(0, 0, 1))
	look()
	require.Equal(t, 1, asked)
	c.set(start.AddDate(0, 0, 1).Add(time.Hour))
	said(t, db, "a", "", "My brother Tom moved to Bergen.", c.time())
	look()
	require.Equal(t, 1, asked, "what was said since waits for the next night")
	report, err := without.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, 1, report.Stages[0].Counts["waiting"])
	due, err := without.Triggered(t.Context(), owner)
	require.NoError(t, err)
	require.False(t, due, "for want of a model")
	c.set(start.AddDate(0, 0, 2))
	look()
	require.Equal(t, 2, asked)
	look()
	require.Equal(t, 2, asked)
}
