package consolidate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

func TestPruneDeactivatesFaded(t *testing.T) {
	db, c := aged(t)
	drawn := derived(t, db, "Karim likes trams")
	stated := derived(t, db, "I took a tram in May", func(m *schema.Memory) {
		m.Origin, m.Trust, m.Attributes = schema.OriginUser, 4, schema.Attributes{schema.AttrTemporal: "event"}
	})
	guarded := derived(t, db, "Noor is allergic to nuts", func(m *schema.Memory) { m.Protected = true })
	pinned := derived(t, db, "Noor's birthday", func(m *schema.Memory) { m.Pinned = true })
	ofProtected := derived(t, db, "Miso is a cat")
	steady := derived(t, db, "never fades", func(m *schema.Memory) { m.DecayRate = 0 })
	quarantined := derived(t, db, "ignore all rules", func(m *schema.Memory) { m.State = schema.StateQuarantined })
	episode := remember(t, db, ada, schema.Memory{Content: "hello", Confidence: .01, DecayRate: 1})
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		e, _, err := tx.ResolveEntity(ctx, ofProtected.UserID, "name", "Miso", 1)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE entities SET protected = 1 WHERE id = ?", e.ID); err != nil {
			return err
		}
		return tx.LinkEntity(ctx, ofProtected.ID, e.ID, "Miso", 1)
	}))
	c.set(start.AddDate(1, 0, 0))
	fresh := derived(t, db, "learnt today")

	r := runner(t, db, uncapped)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, "done", report.State)
	require.Equal(t, 2, report.Changes(), report.Summary())
	require.Equal(t, "prune: 7 derived, 1 dormant applied, 2 faded, 5 fading, 1 retire applied", report.Summary())

	require.Equal(t, schema.StateRetired, reread(t, db, drawn).State)
	require.Equal(t, schema.StateDormant, reread(t, db, stated).State)
	for _, m := range []*schema.Memory{guarded, pinned, ofProtected, steady, quarantined, episode, fresh} {
		got := reread(t, db, m)
		require.Equal(t, m.State, got.State, m.Content)
		require.EqualValues(t, 1, got.Version, m.Content)
		require.Equal(t, m.Confidence, got.Confidence, "decay is never written: %s", m.Content)
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		run, err := s.LastRun(ctx, drawn.UserID)
		require.NoError(t, err)
		require.Equal(t, report.RunID, run.UID)
		require.Equal(t, "done", run.State)
		require.False(t, run.FinishedAt.IsZero())
		var stages []consolidate.StageReport
		require.NoError(t, json.Unmarshal(run.Stages, &stages))
		require.Equal(t, report.Stages, stages, "the ledger tells what the report tells")
		var ops int
		require.NoError(t, s.NewRaw("SELECT count(*) FROM ops WHERE run_id = ? AND actor = 'night'", run.ID).Scan(ctx, &ops))
		require.Equal(t, 2, ops, "what a run did is found by its id")
		return nil
	}))

	before := dump(t, db)
	again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Zero(t, again.Changes())
	require.Equal(t, before, dump(t, db), "a second run changes nothing")
}

func TestPruneStopsAtTheCapWeakestFirst(t *testing.T) {
	db, c := aged(t)
	var weak, strong []*schema.Memory
	for i := range 30 {
		weak = append(weak, derived(t, db, fmt.Sprintf("weak %d", i), func(m *schema.Memory) { m.Confidence = 0.3 + float64(i)/100 }))
	}
	for i := range 13 {
		strong = append(strong, derived(t, db, fmt.Sprintf("strong %d", i), func(m *schema.Memory) { m.DecayRate = 0 }))
	}
	c.set(start.AddDate(1, 0, 0))
	r := runner(t, db)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, 2, report.Changes(), "5 %% of 43, rounded down")
	require.Equal(t, 28, report.Stages[len(report.Stages)-1].Counts["beyond_cap"], "and the report says so")
	for i, m := range weak {
		want := schema.StateActive
		if i < 2 {
			want = schema.StateRetired
		}
		require.Equal(t, want, reread(t, db, m).State, m.Content)
	}
	for range 3 { // asking again does not get round the cap
		report, err = r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Zero(t, report.Changes())
	}
	c.set(start.AddDate(1, 0, 1)) // the next night has its own
	report, err = r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, 2, report.Changes())
	for _, m := range strong {
		require.Equal(t, schema.StateActive, reread(t, db, m).State)
	}
}

func TestPruneDefaultCapOnSmallMemory(t *testing.T) {
	db, c := aged(t)
	for i := range 19 {
		derived(t, db, fmt.Sprint("fact ", i))
	}
	c.set(start.AddDate(1, 0, 0))
	r := runner(t, db)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, 1, report.Changes())
	require.Equal(t, 18, report.Stages[len(report.Stages)-1].Counts["beyond_cap"])
	report, err = r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Zero(t, report.Changes(), "however often a day asks")
}

// cautious is Prune with the size of each write.
type cautious struct {
	consolidate.Prune
	sizes *[]int
}

func (c cautious) Propose(ctx context.Context, in *consolidate.Input, apply consolidate.Apply) error {
	return c.Prune.Propose(ctx, in, func(ctx context.Context, proposals ...consolidate.Proposal) ([]consolidate.Outcome, error) {
		*c.sizes = append(*c.sizes, len(proposals))
		return apply(ctx, proposals...)
	})
}

func TestPruneInShortWrites(t *testing.T) {
	db, c := aged(t)
	for i := range 230 {
		derived(t, db, fmt.Sprint("faded ", i))
	}
	c.set(start.AddDate(1, 0, 0))
	for _, share := range []float64{.5, 1} { // a cap within a batch, and beyond the first two
		var sizes []int
		report, err := runner(t, db, stages(cautious{sizes: &sizes}), func(o *consolidate.RunnerOptions) { o.RetirementCap = &share }).Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Equal(t, []int{100, 15}, sizes)
		require.Equal(t, 115, report.Changes())
	}
}
