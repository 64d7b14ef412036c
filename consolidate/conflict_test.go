package consolidate_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

func day(month time.Month, d int) schema.Time {
	return schema.At(time.Date(2026, month, d, 12, 0, 0, 0, time.UTC))
}

// claim stores a claim that the user stated, valid since the given time.
func claim(t testing.TB, db *schema.DB, content, subject, predicate, object string, since schema.Time, change ...func(*schema.Memory)) *schema.Memory {
	t.Helper()
	m := schema.Memory{
		Kind: schema.KindFact, Content: content, Subject: subject, Predicate: predicate, Object: object, EventTime: since, ValidFrom: since,
		Confidence: 0.9, Importance: 0.5, DecayRate: schema.DefaultDecayRate, Origin: schema.OriginUser, Trust: schema.MaxTrust,
	}
	for _, f := range change {
		f(&m)
	}
	return remember(t, db, ada, m)
}

// drawn says that a night drew the claim from messages.
func drawn(t testing.TB, db *schema.DB) func(*schema.Memory) {
	t.Helper()
	var run int64
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, ada)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "INSERT INTO runs (id, uid, user_id, cause, state, started_at) VALUES (1000, 'drawn', ?, 'manual', 'done', 1) ON CONFLICT DO NOTHING", user)
		run = 1000
		return err
	}))
	return func(m *schema.Memory) { m.RunID = run }
}

func imported(m *schema.Memory) { m.Origin, m.Trust = schema.OriginImport, 1 }

func verdicts(list ...any) llmtest.Reply { // relation words, in order of the pairs
	pairs := make([]map[string]any, len(list))
	for i, v := range list {
		pairs[i] = map[string]any{"pair": i + 1, "relation": v, "why": "so it seems"}
	}
	return llmtest.JSON(map[string]any{"pairs": pairs})
}

func conflictOnly(o *consolidate.RunnerOptions) {
	o.Stages = []consolidate.Stage{consolidate.Conflict{}}
}

func heldIn(t testing.TB, db *schema.DB, at schema.Time, claims ...*schema.Memory) (held []string) {
	t.Helper()
	for _, c := range claims {
		if reread(t, db, c).HeldAt(at.Time, time.Time{}) {
			held = append(held, c.Object)
		}
	}
	return held
}

func TestMoveIsCurrentNextMorning(t *testing.T) {
	db, c := aged(t)
	lisbon := claim(t, db, "The user lives in Lisbon.", "the user", "lives_in", "Lisbon", day(1, 10))
	c.set(day(6, 2).Time)
	oslo := claim(t, db, "The user moved to Oslo.", "The User", "moved to", "Oslo", day(6, 1))
	before := dumpAll(t, db)
	r := runner(t, db, conflictOnly)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, []string{"supersede applied"}, statuses(report, "conflict"))

	got := reread(t, db, lisbon)
	require.Equal(t, schema.StateSuperseded, got.State)
	require.Equal(t, oslo.ValidFrom, got.ValidUntil)
	require.LessOrEqual(t, got.Confidence, 0.3)
	require.Equal(t, []string{"Lisbon"}, heldIn(t, db, day(5, 15), lisbon, oslo))
	require.Equal(t, []string{"Oslo"}, heldIn(t, db, day(6, 2), lisbon, oslo))

	find := func(q recall.Query) (texts []string) {
		q.Text, q.Kinds = "where does the user live, Oslo or Lisbon?", []schema.Kind{schema.KindFact}
		answer, err := recall.New(db, recall.Options{}).Search(t.Context(), ada, q)
		require.NoError(t, err)
		for _, r := range answer.Results {
			texts = append(texts, r.Memory.Object)
		}
		return texts
	}
	require.Equal(t, []string{"Oslo"}, find(recall.Query{}))
	require.Equal(t, []string{"Lisbon"}, find(recall.Query{AsOf: recall.AsOf{Valid: day(5, 15).Time}}))

	again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Empty(t, again.Stages[0].Outcomes)
	_, err = r.Rollback(t.Context(), ada, again.RunID)
	require.NoError(t, err)
	undone, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, before, dumpAll(t, db))
}

func TestMovesFormOneHistory(t *testing.T) {
	db, c := aged(t)
	c.set(day(12, 1).Time)
	home := func(town string, since schema.Time) *schema.Memory {
		return claim(t, db, "The user lives in "+town+".", "the user", "lives_in", town, since)
	}
	bergen, lisbon, back := home("Bergen", day(6, 1)), home("Lisbon", day(1, 1)), home("Lisbon", day(9, 1))
	all := []*schema.Memory{bergen, lisbon, back}
	run := func() []string {
		report, err := runner(t, db, conflictOnly).Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		return statuses(report, "conflict")
	}
	require.Equal(t, []string{"supersede applied", "supersede applied"}, run())
	require.Equal(t, []string{"Lisbon"}, heldIn(t, db, day(2, 1), all...))
	require.Equal(t, []string{"Bergen"}, heldIn(t, db, day(7, 1), all...))
	require.Equal(t, []string{"Lisbon"}, heldIn(t, db, day(10, 1), all...))
	require.Equal(t, schema.StateActive, reread(t, db, back).State)

	// Learnt last, true first: it ends with the next in time, not with today's.
	oslo := home("Oslo", schema.At(time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, []string{"supersede applied"}, run())
	require.Equal(t, day(1, 1), reread(t, db, oslo).ValidUntil)
	require.Empty(t, run())
}

func TestHostOnlyChangesAreProposed(t *testing.T) {
	for name, c := range map[string]struct {
		earlier, later func(*schema.Memory)
		reason         string
	}{
		"protected": {func(m *schema.Memory) { m.Protected = true }, nil, "the earlier one is protected"},
		"pinned":    {func(m *schema.Memory) { m.Pinned = true }, nil, "the earlier one is protected"},
		"imported":  {nil, imported, "the later one is less trusted"},
		"inferred":  {nil, func(m *schema.Memory) { m.Origin = schema.OriginAssistant }, "the later one is less trusted"},
		"no newer":  {nil, func(m *schema.Memory) { m.ValidFrom = day(1, 10) }, "nothing says which is newer"},
		"said before": {func(m *schema.Memory) { m.EventTime = day(8, 1) }, nil,
			"what holds from later on was said earlier"},
	} {
		t.Run(name, func(t *testing.T) {
			db, clock := aged(t)
			clock.set(day(12, 1).Time)
			var changes [2][]func(*schema.Memory)
			if c.earlier != nil {
				changes[0] = append(changes[0], c.earlier)
			}
			if c.later != nil {
				changes[1] = append(changes[1], c.later)
			}
			lisbon := claim(t, db, "The user lives in Lisbon.", "the user", "lives_in", "Lisbon", day(1, 10), changes[0]...)
			oslo := claim(t, db, "The user lives in Oslo.", "the user", "lives_in", "Oslo", day(6, 1), changes[1]...)
			before := []*schema.Memory{reread(t, db, lisbon), reread(t, db, oslo)}
			r := runner(t, db, conflictOnly)
			report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Equal(t, []string{"contradiction waiting " + c.reason}, statuses(report, "conflict"))
			require.Equal(t, before, []*schema.Memory{reread(t, db, lisbon), reread(t, db, oslo)}, "both stay as they are")
			require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
				var links, proposals int
				err := s.NewRaw("SELECT (SELECT count(*) FROM links WHERE type = 'contradicts'), (SELECT count(*) FROM proposals WHERE kind = 'contradiction' AND state = 'pending')").Scan(ctx, &links, &proposals)
				require.Equal(t, 1, links)
				require.Equal(t, 1, proposals)
				return err
			}))
			again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Empty(t, again.Stages[0].Outcomes, "asked once")
		})
	}
}

func TestExtractThenConflict(t *testing.T) {
	db, c := aged(t)
	said(t, db, "a", "", "I live in Lisbon, close to the river.", day(1, 10).Time)
	s := llmtest.New(t)
	s.On(llmtest.Contains("Lisbon, close"), facts(claimed("The user lives in Lisbon.", []string{"m1"}, "I live in Lisbon", set("predicate", "lives_in"), set("object", "Lisbon"))))
	s.On(llmtest.Contains("I moved to Oslo"), facts(
		claimed("The user moved to Oslo last week.", []string{"m1"}, "I moved to Oslo last week", set("predicate", "moved_to"), set("object", "Oslo"), set("when", "last week"), set("type", "event")),
		claimed("The user will move to Bergen.", []string{"m2"}, "one day I want to live in Bergen", set("predicate", "lives_in"), set("object", "Bergen"), set("type", "plan"))))
	s.On(llmtest.Contains("Oslo last week", "Bergen", `"pair":`), always("update"))
	r := runner(t, db, withModel(t, s))
	_, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)

	c.set(day(6, 10).Time)
	said(t, db, "b", "", "I moved to Oslo last week!", day(6, 9).Time)
	said(t, db, "b", "", "But one day I want to live in Bergen.", day(6, 9).Time)
	before := dumpAll(t, db)
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Contains(t, statuses(report, "extract"), "add_fact applied an earlier claim that it replaces has ended", "the user says so outright")
	all := derivedOf(t, db)
	require.Len(t, all, 3)
	lisbon, oslo, bergen := &all[0], &all[1], &all[2]
	require.Equal(t, schema.StateSuperseded, lisbon.State)
	require.Equal(t, oslo.ID, lisbon.SupersededBy)
	require.Equal(t, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), lisbon.ValidUntil.Time, "when it happened, not when it was said")
	require.Equal(t, schema.StateActive, oslo.State, "no verdict makes a plan the present")
	require.Equal(t, schema.StateActive, bergen.State)
	require.Equal(t, []string{"Lisbon"}, heldIn(t, db, day(5, 15), lisbon, oslo, bergen))

	undone, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Equal(t, before, dumpAll(t, db))
}

// A model leaves out that a second home is one; its sentence says so.
func TestRewordedSecondHomeEndsNothing(t *testing.T) {
	for _, second := range []string{"I also live in Oslo.", "At weekends I live in Oslo."} {
		db, c := aged(t)
		said(t, db, "a", "", "I live in Lisbon, close to the river.", day(1, 10).Time)
		s := llmtest.New(t)
		s.On(llmtest.Contains("Lisbon, close"), facts(claimed("The user lives in Lisbon.", []string{"m1"}, "I live in Lisbon", set("predicate", "lives_in"), set("object", "Lisbon"))))
		s.On(llmtest.Contains("live in Oslo"), facts(claimed("The user lives in Oslo.", []string{"m1"}, "live in Oslo", set("predicate", "lives_in"), set("object", "Oslo"))))
		s.On(llmtest.Contains("Oslo", `"pair":`), always("compatible"))
		r := runner(t, db, withModel(t, s))
		_, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		c.set(day(6, 10).Time)
		said(t, db, "b", "", second, day(6, 9).Time)
		_, err = r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		all := derivedOf(t, db)
		require.Len(t, all, 2)
		require.Equal(t, schema.StateActive, all[0].State, second)
		require.Equal(t, schema.StateActive, all[1].State, second)
	}
}
