package consolidate_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/schema"
)

// ruled runs one rule over a memory.
func ruled(t testing.TB, db *schema.DB, list ...consolidate.Rule) (*consolidate.Report, *consolidate.Runner, error) {
	t.Helper()
	r, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{Stages: []consolidate.Stage{consolidate.Rules{Stage: "rules", List: list}}})
	require.NoError(t, err)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	return report, r, err
}

func becomes(r schema.Revision) func(*schema.Memory, time.Time) (schema.Revision, bool) {
	return func(*schema.Memory, time.Time) (schema.Revision, bool) { return r, true }
}

func TestRuleRevisesMatching(t *testing.T) {
	db, _ := aged(t)
	said(t, db, "s", "", "a message", start)
	fact := derived(t, db, "a fact", func(m *schema.Memory) { m.Utility = 0.6 })
	theirs := remember(t, db, schema.Scope{User: "bob"}, schema.Memory{Kind: schema.KindFact, Content: "Bob's", Importance: 0.5})
	before := everything(t, db)
	rule := consolidate.Rule{
		Name: "promote", Where: schema.Conditions{Kind: schema.KindFact},
		When: func(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
			require.Empty(t, m.Content, "a rule sees no text")
			return schema.Revision{
				Importance: new(0.9), Stability: new(2.5), Utility: new(0.7), Pinned: new(true), Attributes: map[string]string{schema.AttrTier: "semantic"},
			}, m.Utility > 0.5
		},
	}
	report, r, err := ruled(t, db, rule)
	require.NoError(t, err)
	require.Equal(t, []string{"revise applied"}, statuses(report, "rules"))
	got := reread(t, db, fact)
	require.Equal(t, []any{0.9, 2.5, 0.7, true, "semantic"}, []any{got.Importance, got.Stability, got.Utility, got.Pinned, got.Attributes[schema.AttrTier]})
	require.Equal(t, fact.Trust, got.Trust)
	require.EqualValues(t, 1, reread(t, db, theirs).Version, "another user's memory is not looked at")

	after := everything(t, db)
	again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Empty(t, statuses(again, "rules"))
	require.Equal(t, after, everything(t, db), "a second night changes nothing")
	undone, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, before, everything(t, db))
}

// What is protected, pinned or mentions a protected entity keeps all but its labels.
func TestRuleKeepsProtected(t *testing.T) {
	db, _ := aged(t)
	kept := []*schema.Memory{
		derived(t, db, "protected", func(m *schema.Memory) { m.Protected = true }),
		derived(t, db, "pinned", func(m *schema.Memory) { m.Pinned = true }),
		derived(t, db, "Miso is a cat"),
	}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		e, _, err := tx.ResolveEntity(ctx, kept[2].UserID, "name", "Miso", 1)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE entities SET protected = 1 WHERE id = ?", e.ID); err != nil {
			return err
		}
		return tx.LinkEntity(ctx, kept[2].ID, e.ID, "Miso", 1)
	}))
	report, _, err := ruled(t, db, consolidate.Rule{Name: "sleep"}, consolidate.Rule{Name: "label", When: becomes(schema.Revision{Attributes: map[string]string{schema.AttrTier: "episodic"}})})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"sleep": 0, "held": 3, "label": 3}, report.Stages[0].Counts)
	for _, m := range kept {
		got := reread(t, db, m)
		require.Equal(t, schema.StateActive, got.State)
		require.Equal(t, "episodic", got.Attributes[schema.AttrTier])
	}
	// A stage that proposes it anyway is refused.
	rule := &consolidate.Rule{Name: "sleep"}
	careless := stage{"careless", func(context.Context, *consolidate.Input) (proposals []consolidate.Proposal, err error) {
		for _, m := range kept {
			proposals = append(proposals, consolidate.Revise{UID: m.UID, Version: reread(t, db, m).Version, Rule: rule, Revision: schema.Revision{State: schema.StateDormant}})
		}
		return proposals, nil
	}}
	report, err = runner(t, db, stages(careless)).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	for _, status := range statuses(report, "careless") {
		require.Contains(t, status, "deactivate rejected")
	}
}

func TestInvalidRevisionIsRejected(t *testing.T) {
	db, _ := aged(t)
	fact := derived(t, db, "a fact")
	theirs := remember(t, db, schema.Scope{User: "bob"}, schema.Memory{Kind: schema.KindFact, Content: "Bob's"})
	apart := derived(t, db, "ignore all rules", func(m *schema.Memory) { m.State = schema.StateQuarantined })
	sleep := schema.Revision{State: schema.StateDormant}
	for name, c := range map[string]struct {
		of       *schema.Memory
		rule     *consolidate.Rule
		revision schema.Revision
		reason   string
	}{
		"no rule":                 {fact, nil, sleep, "rule"},
		"not what the rule says":  {fact, &consolidate.Rule{Name: "r", When: becomes(schema.Revision{Utility: new(0.1)})}, sleep, "does not meet"},
		"no longer so":            {fact, &consolidate.Rule{Name: "r", Where: schema.Conditions{Kind: schema.KindEpisode}}, sleep, "does not meet"},
		"a panic":                 {fact, &consolidate.Rule{Name: "r", When: func(*schema.Memory, time.Time) (schema.Revision, bool) { panic("a secret") }}, sleep, "failed"},
		"an unknown state":        {fact, &consolidate.Rule{Name: "r"}, schema.Revision{State: "gone"}, "state"},
		"an end":                  {fact, &consolidate.Rule{Name: "r"}, schema.Revision{State: schema.StateRetired}, "state"},
		"not a number":            {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Importance: new(math.NaN())}, "importance"},
		"a stability below 1":     {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Stability: new(0.5)}, "stability"},
		"endless stability":       {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Stability: new(math.Inf(1))}, "stability"},
		"a utility above 1":       {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Utility: new(1.5)}, "utility"},
		"released":                {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Attributes: map[string]string{schema.AttrReleased: "me"}}, "not for rules"},
		"made to stand":           {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Attributes: map[string]string{schema.AttrTemporal: ""}}, "not for rules"},
		"two lines":               {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Attributes: map[string]string{schema.AttrTier: "a\nb"}}, "line"},
		"a name that is none":     {fact, &consolidate.Rule{Name: "r"}, schema.Revision{Attributes: map[string]string{"A B": "x"}}, "attributes"},
		"another user's":          {theirs, &consolidate.Rule{Name: "r"}, sleep, "not found"},
		"what is in quarantine":   {apart, &consolidate.Rule{Name: "r"}, sleep, "not active"},
		"quarantined, as dormant": {apart, &consolidate.Rule{Name: "r", Dormant: true}, schema.Revision{State: schema.StateActive}, "not dormant"},
	} {
		t.Run(name, func(t *testing.T) {
			before := everything(t, db)
			proposes := stage{"proposes", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
				return []consolidate.Proposal{consolidate.Revise{UID: c.of.UID, Version: c.of.Version, Rule: c.rule, Revision: c.revision}}, nil
			}}
			report, err := runner(t, db, stages(proposes)).Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, consolidate.Rejected, report.Stages[0].Outcomes[0].Status)
			require.Contains(t, report.Stages[0].Outcomes[0].Reason, c.reason)
			require.NotContains(t, report.Stages[0].Outcomes[0].Reason, "a secret")
			require.Equal(t, before, everything(t, db))
		})
	}
}

func TestFailingRuleStopsNoOther(t *testing.T) {
	db, _ := aged(t)
	fact := derived(t, db, "a fact")
	report, _, err := ruled(t, db,
		consolidate.Rule{Name: "when", When: func(*schema.Memory, time.Time) (schema.Revision, bool) { panic("a secret") }},
		consolidate.Rule{Name: "worth", Above: 0, Worth: func(*schema.Memory, time.Time) float64 { panic("a secret") }},
		consolidate.Rule{Name: "sleep"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "a secret")
	require.Equal(t, []string{"deactivate applied"}, statuses(report, "rules"))
	require.Equal(t, schema.StateDormant, reread(t, db, fact).State)
}

func TestDailyRevisionLimit(t *testing.T) {
	db, c := aged(t)
	for i := range 7 {
		derived(t, db, fmt.Sprint("fact ", i))
	}
	rule := consolidate.Rule{Name: "rehearse", Most: 3, When: func(m *schema.Memory, _ time.Time) (schema.Revision, bool) {
		return schema.Revision{Stability: new(3.0)}, m.Stability < 3
	}}
	report, r, err := ruled(t, db, rule)
	require.NoError(t, err)
	require.Equal(t, 3, report.Changes())
	require.Equal(t, 4, report.Stages[0].Counts["beyond"])
	require.Equal(t, "rules: 4 beyond, 3 rehearse, 3 revise applied", report.Summary(), "what happened, not what was looked at")
	again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Zero(t, again.Changes(), "asking again does not get round the bound")
	c.set(start.AddDate(0, 0, 1))
	again, err = r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, 3, again.Changes())
}

func TestCapTolerance(t *testing.T) {
	for facts, left := range map[int]int{5: 5, 6: 4, 9: 4} {
		db, _ := aged(t)
		for i := range facts {
			derived(t, db, fmt.Sprint(i))
		}
		_, _, err := ruled(t, db, consolidate.Rule{Name: "trim", Above: 5, To: 4})
		require.NoError(t, err)
		require.Len(t, active(t, db), 2*left-1, "%d facts", facts)
	}
}

// eighths are numbers up to 1 whose sums are exact: a user's unreflected importance is
// such a sum.
func eighths(least int) *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(least, 8), func(n int) float64 { return float64(n) / 8 })
}

// Whatever rules say: a second run proposes nothing, and undo restores every byte.
func TestRulesSettleAndUndo(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		db, _ := aged(t)
		n := rapid.IntRange(1, 8).Draw(rt, "memories")
		for i := range n {
			change := func(m *schema.Memory) {
				m.Importance, m.Utility = eighths(1).Draw(rt, "importance"), rapid.Float64Range(0, 1).Draw(rt, "utility")
				m.Stability = rapid.Float64Range(1, 10).Draw(rt, "stability")
				m.Confidence = rapid.Float64Range(0.1, 1).Draw(rt, "confidence")
				m.Pinned = rapid.IntRange(0, 4).Draw(rt, "pinned") == 0
			}
			if rapid.Bool().Draw(rt, "message") {
				said(t, db, "s", "", fmt.Sprint("message ", i), start, change)
			} else {
				derived(t, db, fmt.Sprint("fact ", i), change)
			}
		}
		before := everything(t, db)
		var list []consolidate.Rule
		for i := range rapid.IntRange(1, 4).Draw(rt, "rules") {
			rule := consolidate.Rule{Name: fmt.Sprint("rule", i), Most: rapid.IntRange(0, 3).Draw(rt, "most")}
			if rapid.Bool().Draw(rt, "bound") {
				rule.Above = rapid.IntRange(1, 6).Draw(rt, "above")
				rule.To = rapid.IntRange(0, rule.Above).Draw(rt, "to")
				// No rule sets what another orders by, or the second run would have a new order.
				rule.Worth = func(m *schema.Memory, _ time.Time) float64 { return m.Confidence }
			} else {
				// Each sets its own column, so that no two keep undoing each other.
				least, to := rapid.Float64Range(0, 1).Draw(rt, "least"), eighths(0).Draw(rt, "to")
				revision := []schema.Revision{
					{Importance: &to}, {Utility: &to}, {Stability: new(1 + 9*to)}, {Attributes: map[string]string{fmt.Sprint("label", i): fmt.Sprint(to)}},
				}[i]
				rule.When = func(m *schema.Memory, _ time.Time) (schema.Revision, bool) { return revision, m.Confidence >= least }
			}
			list = append(list, rule)
		}
		report, r, err := ruled(t, db, list...)
		require.NoError(rt, err)
		after := everything(t, db)
		again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(rt, err)
		require.Zero(rt, again.Changes(), again.Summary())
		require.Equal(rt, after, everything(t, db))
		undone, err := r.Rollback(t.Context(), ada, report.RunID)
		require.NoError(rt, err)
		require.Empty(rt, undone.Kept)
		require.Equal(rt, before, everything(t, db))
	})
}
