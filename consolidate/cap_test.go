package consolidate_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

func TestWorth(t *testing.T) {
	const tau = 10 * 24 * time.Hour
	now := start
	at := func(days int, importance float64) *schema.Memory {
		return &schema.Memory{ID: int64(100 - days), EventTime: schema.At(now.AddDate(0, 0, -days)), Importance: importance}
	}
	byImportance := consolidate.ByImportance(tau)
	require.InDelta(t, 0.7*0.3+0.3, byImportance(at(0, 0.3), now), 1e-12)
	require.InDelta(t, 0.7*0.9+0.3/math.E, byImportance(at(10, 0.9), now), 1e-12)
	// On the design's own scales (1–10 beside 0–1) recency could never do this.
	require.Greater(t, byImportance(at(0, 0.4), now), byImportance(at(30, 0.6), now), "a little less important and fresh")
	require.InDelta(t, 1, consolidate.Recency(-time.Hour, tau), 0, "what is to come is not old")
	require.InDelta(t, 0.995, consolidate.Recency(time.Hour, 200*time.Hour), 1e-4, "Park et al.")
	require.Greater(t, consolidate.FIFO(at(1, 0.1), now), consolidate.FIFO(at(2, 1), now))
	used := at(5, 0.1)
	used.LastAccessed = schema.At(now)
	require.Greater(t, consolidate.ByRecency(used, now), consolidate.ByRecency(at(1, 1), now))
}

// capped runs the stage over six messages, of which the first is the oldest,
// and returns the numbers of those that stay.
func capped(t *testing.T, stage consolidate.Cap, change func(i int, m *schema.Memory)) (stay string, report *consolidate.Report, db *schema.DB, r *consolidate.Runner) {
	t.Helper()
	db, c := aged(t)
	for i := range 6 {
		said(t, db, "s", "", fmt.Sprint(i), start.AddDate(0, 0, i-6), func(m *schema.Memory) {
			m.Importance = 0.3
			change(i, m)
		})
	}
	c.set(start)
	r, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{Stages: []consolidate.Stage{stage}})
	require.NoError(t, err)
	report, err = r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	return active(t, db), report, db, r
}

func active(t *testing.T, db *schema.DB) (contents string) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT coalesce(group_concat(content, ' '), '') FROM (SELECT content FROM memories WHERE state = 'active' ORDER BY id) AS m", nil, &contents)
	}))
	return contents
}

func TestCapDeactivatesLeastValuable(t *testing.T) {
	important := func(i int, m *schema.Memory) {
		if i == 1 {
			m.Importance = 0.9
		}
	}
	for name, c := range map[string]struct {
		stage  consolidate.Cap
		change func(int, *schema.Memory)
		want   string
	}{
		"by importance":   {consolidate.Cap{Observations: 3}, important, "1 4 5"},
		"first in, out":   {consolidate.Cap{Observations: 3, Worth: consolidate.FIFO}, important, "3 4 5"},
		"by recency":      {consolidate.Cap{Observations: 3, Worth: consolidate.ByRecency}, important, "3 4 5"},
		"no bound":        {consolidate.Cap{}, important, "0 1 2 3 4 5"},
		"not too many":    {consolidate.Cap{Observations: 6}, important, "0 1 2 3 4 5"},
		"of another kind": {consolidate.Cap{Reflections: 1}, important, "0 1 2 3 4 5"},
		"protected": {consolidate.Cap{Observations: 3, Worth: consolidate.FIFO}, func(i int, m *schema.Memory) {
			m.Protected, m.Pinned = i == 0, i == 2
		}, "0 2 3 4 5"},
		"not a number": {consolidate.Cap{Observations: 3, Worth: func(m *schema.Memory, _ time.Time) float64 {
			if m.EventTime.Equal(start.AddDate(0, 0, -1)) {
				return math.NaN()
			}
			return float64(m.ID)
		}}, important, "2 3 4"},
	} {
		t.Run(name, func(t *testing.T) {
			stay, _, _, _ := capped(t, c.stage, c.change)
			require.Equal(t, c.want, stay)
		})
	}
}

func TestDeactivatedMemoryReturns(t *testing.T) {
	stay, report, db, r := capped(t, consolidate.Cap{Observations: 4}, func(int, *schema.Memory) {})
	require.Equal(t, "2 3 4 5", stay)
	require.Equal(t, []string{"deactivate applied", "deactivate applied"}, statuses(report, "cap"))
	require.Equal(t, map[string]int{"observations": 2}, report.Stages[0].Counts)
	again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Empty(t, statuses(again, "cap"), "a second night finds nothing to do")
	undone, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, "0 1 2 3 4 5", active(t, db))
}

func TestCapKeepsWithinBounds(t *testing.T) {
	db, _ := aged(t)
	first, second := said(t, db, "s", "", "one", start), said(t, db, "s", "", "two", start)
	guarded := said(t, db, "s", "", "three", start, func(m *schema.Memory) { m.Pinned = true })
	fact := derived(t, db, "a fact")
	away := func(m *schema.Memory, most int) consolidate.Proposal {
		rule := &consolidate.Rule{Name: "messages", Where: schema.Conditions{Kind: schema.KindEpisode}, Above: most}
		return consolidate.Revise{UID: m.UID, Version: m.Version, Rule: rule, Revision: schema.Revision{State: schema.StateDormant}}
	}
	r, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{Stages: []consolidate.Stage{
		stage{"proposes", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
			stale := *second
			stale.Version = 9
			return []consolidate.Proposal{away(guarded, 0), away(fact, 0), away(first, 2), away(second, 2), away(&stale, 0)}, nil
		}},
	}})
	require.NoError(t, err)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	got := statuses(report, "proposes")
	require.Len(t, got, 5)
	for i, want := range []string{"protected", "does not meet the rule any more", "deactivate applied", "not beyond the cap any more", "rejected"} {
		require.Contains(t, got[i], want)
	}
}
