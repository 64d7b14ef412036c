package consolidate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/recall/retention"
	"github.com/ebbmem/ebb/schema"
)

// lived is a memory of what stands and what passes.
type lived struct {
	db       *schema.DB
	clock    *clock
	standing []*schema.Memory // the user's, and what rests on her sentence
	passing  []*schema.Memory
	asked    *schema.Memory // waits for a person
}

func live(t *testing.T) *lived {
	db, c := aged(t)
	l := &lived{db: db, clock: c}
	user := func(typ string) func(*schema.Memory) {
		return func(m *schema.Memory) {
			m.Origin, m.Trust = schema.OriginUser, schema.MaxTrust
			if typ != "" {
				m.Attributes = schema.Attributes{schema.AttrTemporal: typ}
			}
		}
	}
	for i := range 12 {
		l.standing = append(l.standing, derived(t, db, fmt.Sprintf("Ada keeps bees %d", i), user([]string{"", "state", "habit", "trait"}[i%4])))
	}
	said := remember(t, db, ada, schema.Memory{Role: "user", Content: "I can't eat gluten."})
	worded := derived(t, db, "Ada has coeliac disease", func(m *schema.Memory) { m.Trust = 1 })
	planned := func(content, by string) *schema.Memory {
		return derived(t, db, content, func(m *schema.Memory) {
			m.Attributes = schema.Attributes{schema.AttrTemporal: "plan"}
			if by != "" {
				m.Attributes[by] = "1"
			}
		})
	}
	saved := planned("Ada pays 480 a month until March 2028", "")
	parsed, extracted := planned("Ada wants to sail on Friday", schema.AttrSaid), planned("Ada will sail on Friday", schema.AttrPrompt)
	l.asked = derived(t, db, "Ada asked to keep this")
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		payload := schema.JSONObject("memory_id", l.asked.UID, "content", l.asked.Content)
		if _, err := tx.AddProposal(ctx, l.asked.UserID, schema.KindProtect, payload, "", schema.Actor{Name: "model"}); err != nil {
			return err
		}
		for _, m := range []*schema.Memory{worded, saved, parsed, extracted} {
			if err := tx.AddSource(ctx, m.ID, said.ID, "I can't eat gluten."); err != nil {
				return err
			}
		}
		return nil
	}))
	l.standing, l.passing = append(l.standing, worded, saved), append(l.passing, parsed, extracted)
	for i := range 4 {
		l.passing = append(l.passing,
			derived(t, db, fmt.Sprintf("Ada saw a heron %d", i), user("event")),
			derived(t, db, fmt.Sprintf("Ada plans to sail %d", i), user("plan")),
			derived(t, db, fmt.Sprintf("Ada seems to like bees %d", i)),
			derived(t, db, fmt.Sprintf("Bees matter to Ada %d", i), func(m *schema.Memory) { m.Kind = schema.KindReflection }))
	}
	return l
}

func (l *lived) active(t *testing.T, of []*schema.Memory) (n int) {
	for _, m := range of {
		if reread(t, l.db, m).State == schema.StateActive {
			n++
		}
	}
	return n
}

// By the document's curve all standing facts are active on day 60 and none on day 90. A
// plan that an agent saved from the user's sentence stands, one that code or a model read
// from it passes. A night on each of the first 90 days and on each fifth after them; with
// -year on each.
func TestUserFactsSurviveYear(t *testing.T) {
	racing.Alone(t)
	nightly, once := live(t), live(t)
	r := runner(t, nightly.db, uncapped)
	for day := 1; day <= 365; day++ {
		if day > 90 && day%5 != 0 && !*year {
			continue
		}
		nightly.clock.set(start.AddDate(0, 0, day))
		_, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		switch day {
		case 60, 75, 90, 365:
			require.Equal(t, 14, nightly.active(t, nightly.standing), "day %d", day)
			require.Equal(t, schema.StateActive, reread(t, nightly.db, nightly.asked).State, "what waits for a person's word stays")
		}
	}
	require.Zero(t, nightly.active(t, nightly.passing), "events, plans, an assistant's claims and reflections pass")

	once.clock.set(start.AddDate(1, 0, 0))
	_, err := runner(t, once.db, uncapped).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	for i, all := range [][]*schema.Memory{nightly.standing, nightly.passing} {
		for j, m := range all {
			a, b := reread(t, nightly.db, m), reread(t, once.db, [][]*schema.Memory{once.standing, once.passing}[i][j])
			require.Equal(t, b.State, a.State, m.Content)
			require.InDelta(t, retention.Default(b, once.clock.time()), retention.Default(a, once.clock.time()), 1e-12, "nights add nothing to forgetting")
		}
	}
}

func TestDocumentRetention(t *testing.T) {
	l := live(t)
	r := runner(t, l.db, uncapped, func(o *consolidate.RunnerOptions) { o.Retention = retention.Document })
	for _, at := range []struct{ day, active int }{{60, 14}, {90, 0}} {
		l.clock.set(start.AddDate(0, 0, at.day))
		_, err := r.Run(t.Context(), ada, consolidate.CauseManual)
		require.NoError(t, err)
		require.Equal(t, at.active, l.active(t, l.standing), "day %d", at.day)
	}
	require.Equal(t, schema.StateActive, reread(t, l.db, l.asked).State, "a question that waits keeps its fact under any curve")
}

func TestStabilityGrowsWithUse(t *testing.T) {
	db, c := aged(t)
	m := derived(t, db, "Ada seems to like bees")
	use := func() {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			return tx.Touch(ctx, m.UserID, []string{m.UID}, c.time())
		}))
	}
	use()
	require.InDelta(t, 1, reread(t, db, m).Stability, 0, "in the conversation that it was learnt in")
	want := 1.0
	for day := 1; day <= 100; day++ {
		c.set(start.AddDate(0, 0, day))
		use()
		use() // the same conversation
		want *= 1.02
	}
	require.InDelta(t, want, reread(t, db, m).Stability, 1e-12)
	for range 100 {
		c.set(c.time().AddDate(0, 0, 1))
		use()
	}
	require.InDelta(t, schema.MaxStability, reread(t, db, m).Stability, 0)

	n := derived(t, db, "Ada keeps bees")
	said := func(session string) {
		source := remember(t, db, schema.Scope{User: "ada", Session: session}, schema.Memory{Role: "user", Content: "I keep bees. " + session})
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			if source.SessionID, _ = tx.SessionID(ctx, source.UserID, session); source.SessionID == 0 {
				return schema.ErrNotFound
			}
			if _, err := tx.Exec(ctx, "UPDATE memories SET session_id = ? WHERE id = ?", source.SessionID, source.ID); err != nil {
				return err
			}
			_, err := tx.Reinforce(ctx, reread(t, db, n), source, "I keep bees.", 1, schema.Actor{Name: "night"})
			return err
		}))
	}
	said("first")
	require.InDelta(t, 1.5, reread(t, db, n).Stability, 1e-12)
	said("first")
	require.InDelta(t, 1.5, reread(t, db, n).Stability, 1e-12, "one conversation is one source")
	said("second")
	require.InDelta(t, 2.25, reread(t, db, n).Stability, 1e-12)
}
