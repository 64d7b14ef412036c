package dream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/dream"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/schema"
)

// minutes sets the clock to so many minutes after the start.
func (l *life) minutes(n float64) { l.set(n / (24 * 60)) }

// utter stores a message of a session.
func (l *life) utter(session, role, text string) *schema.Memory {
	l.Helper()
	var id int64
	require.NoError(l, l.db.Write(l.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, ada)
		if err == nil {
			id, err = tx.SessionID(ctx, userID, session)
		}
		return err
	}))
	return l.add(func(m *schema.Memory) {
		m.Kind, m.Role, m.SessionID, m.Content, m.DecayRate = schema.KindEpisode, role, id, text, 0
		if role == "user" {
			user(m)
		}
	})
}

// show records that memories were shown to the model of a session.
func (l *life) show(session string, uids ...string) {
	l.Helper()
	l.n++
	e := &schema.EventRow{ID: fmt.Sprint("e", l.n), Topic: "memory.recalled", Origin: schema.OriginUnknown, Payload: json.RawMessage("{}")}
	var at time.Time
	require.NoError(l, l.db.Write(l.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if e.UserID, err = tx.UserID(ctx, ada); err != nil {
			return err
		}
		at = tx.Now
		return tx.AppendEvents(ctx, &schema.NewEvent{Owner: ada, Row: e})
	}))
	items := make([]enrich.RecalledItem, len(uids))
	for i, uid := range uids {
		items[i] = enrich.RecalledItem{ID: uid, Rank: i + 1}
	}
	scope := ada
	scope.Session = session
	require.NoError(l, enrich.ApplyRecalled(l.Context(), l.db, scope, e.Seq, "memory", "", items, at))
}

// Computed from utility + α·(target − utility), α = .1, from ½.
const (
	once  = 0.5 + 0.1*(1-0.5)
	twice = once + 0.1*(1-once)
	wrong = 0.5 - 0.1*0.5
)

func TestOutcomesOfAnswers(t *testing.T) {
	l := open(t)
	dentist := l.says("The dentist is Dr Moss, at 14:30")
	noor := l.says("Noor keeps bees in Bergen")
	tea := l.says("Likes green tea")
	guarded := l.add(func(m *schema.Memory) { m.Content, m.Protected = "The gate code is 4711", true })
	all := []*schema.Memory{dentist, noor, tea, guarded}
	ids := []string{dentist.UID, noor.UID, tea.UID, guarded.UID, "01ARZ3NDEKTSV4RRFFQ69G5FAV", dentist.UID}
	utilities := func() (u [4]float64) {
		for i, m := range all {
			u[i] = l.get(m).Utility
		}
		return u
	}
	turn := func(at float64, asks, answers string) {
		l.minutes(at)
		l.utter("s", "user", asks)
		l.minutes(at + 0.1)
		l.show("s", ids...)
		l.minutes(at + 0.2)
		l.utter("s", "assistant", answers)
	}
	turn(0, "When is the dentist, and what of Noor?", "At 14:30. Noor is fine, ada. The code is 4711, and I like green tea too.")
	l.minutes(30)
	before := l.rows()
	report, _ := l.night(dream.Outcomes{})
	require.Zero(t, report.Changes(), "it may still be corrected")
	l.minutes(31)
	report, r := l.night(dream.Outcomes{})
	require.InDeltaSlice(t, []float64{once, 0.5, 0.5, 0.5}, sliceOf(utilities()), 1e-15, "once; not what was asked, nor what has no name, nor what is protected")
	again, _ := l.night(dream.Outcomes{})
	require.Zero(t, again.Changes())
	_, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Equal(t, before, l.rows())

	turn(60, "And the bees?", "In Bergen.")
	l.minutes(61)
	l.utter("other", "user", "Actually the bees moved.")
	l.utter("s", "user", "That was wrong, the bees are in Oslo.")
	turn(120, "The tea?", "Dr Moss sells it.")
	l.minutes(151)
	l.utter("s", "user", "Actually Dr Moss is a dentist.")
	l.minutes(182)
	l.night(dream.Outcomes{})
	got := sliceOf(utilities())
	require.InDelta(t, wrong, got[1], 1e-15, "shown, and then corrected")
	require.InDelta(t, twice, got[0], 1e-15, "what was undone is learnt again; what is said half an hour later corrects no answer")
}

// Nothing in an answer that the user calls wrong counts as having helped.
func TestOutcomesOfWrongAnswers(t *testing.T) {
	const shares, says = "Quentin charges 40 euros an hour", "Quentin takes 40 euros."
	for _, c := range []struct {
		answer, next string
		utility      float64
	}{
		{says, "No, that's wrong.", 0.5},
		{says, "That's incorrect.", 0.5},
		{says, "No, Quentin charges 45 euros.", wrong},
		{says, "That is wrong, he charges 45.", wrong},
		{says, "Thanks, call him.", once},
		{says, "No, thanks, that was all.", once},
		{says, "Did you actually call Quentin?", once},
		{says + " Shall I call Quentin?", "No, Quentin is on holiday.", once},
	} {
		l := open(t)
		m := l.says(shares)
		l.utter("s", "user", "What does the painter take?")
		l.minutes(1)
		l.show("s", m.UID)
		l.minutes(2)
		l.utter("s", "assistant", c.answer)
		l.minutes(3)
		l.utter("s", "user", c.next)
		l.minutes(90)
		l.night(dream.Outcomes{})
		require.InDelta(t, c.utility, l.get(m).Utility, 1e-15, c.next)
	}
}

func sliceOf(u [4]float64) []float64 { return u[:] }

func TestOutcomesOfHearsay(t *testing.T) {
	l := open(t)
	m := l.says("The ferry leaves at 7:15")
	l.utter("s", "user", "When does the ferry leave?")
	l.minutes(1)
	l.show("s", m.UID)
	l.utter("s", "assistant", "Let me look.")
	l.minutes(2)
	page := l.utter("s", "user", "Actually the ferry was wrong")
	require.NoError(t, l.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.SetTrust(ctx, page, schema.OriginToolExternal, 1, schema.Actor{Name: "host"})
	}))
	l.minutes(90)
	report, _ := l.night(dream.Outcomes{})
	require.Zero(t, report.Changes(), "only the user's own words correct; nothing of it stands in the answer")
}

// Computed from a stability boost of 2 % each.
func TestNeighboursOfWhatWasShown(t *testing.T) {
	l := open(t)
	shown, beside, related, cause, ended := l.says("one"), l.says("two"), l.says("three"), l.says("four"), l.says("five")
	require.NoError(t, l.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for _, link := range []struct {
			from, to *schema.Memory
			typ      string
		}{
			{shown, beside, schema.LinkRelated}, {related, shown, schema.LinkElaborates}, {related, beside, schema.LinkSameEntity},
			{shown, cause, schema.LinkCauses}, {shown, ended, schema.LinkContradicts},
		} {
			if _, err := tx.Link(ctx, link.from, link.to, link.typ, 0.5, schema.Actor{Name: "host"}); err != nil {
				return err
			}
		}
		return nil
	}))
	for i := range 2 {
		l.minutes(float64(10*i + 1))
		l.show("s", shown.UID, beside.UID)
		l.minutes(float64(10*i + 2))
		l.utter("s", "assistant", "Fine.")
	}
	l.minutes(60)
	before := l.rows()
	report, r := l.night(dream.Outcomes{})
	require.Equal(t, 2, report.Changes())
	require.InDelta(t, 1.02*1.02, l.get(related).Stability, 1e-12, "once an answer, whatever it is related to")
	require.InDelta(t, 1.02*1.02, l.get(cause).Stability, 1e-12)
	require.InDelta(t, 1, l.get(ended).Stability, 0)
	require.InDelta(t, l.get(shown).Stability, l.get(beside).Stability, 0, "what was shown has become so as it was used")
	again, _ := l.night(dream.Outcomes{})
	require.Zero(t, again.Changes())
	_, err := r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	require.Equal(t, before, l.rows())
}

// However often nights run, the same is learnt.
func TestOutcomesOnAnySchedule(t *testing.T) {
	var ends [][]float64
	for _, every := range []func(*rand.Rand) int{
		func(*rand.Rand) int { return 1 },
		func(r *rand.Rand) int { return 1 + r.IntN(20) },
		func(*rand.Rand) int { return 365 },
	} {
		talk, nights := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
		l := open(t)
		var memories []*schema.Memory
		for i := range 8 {
			memories = append(memories, l.says(fmt.Sprintf("The platform is %d", 100+i)))
		}
		next := every(nights)
		for day := 1; day <= 365; day += 1 + talk.IntN(8) {
			for ; next <= day; next += every(nights) {
				l.set(float64(next))
				l.night(dream.Outcomes{})
			}
			at := float64(day*24*60 + talk.IntN(23*60))
			l.minutes(at)
			session := fmt.Sprint("s", talk.IntN(3))
			l.utter(session, "user", "Which one?")
			l.minutes(at + 1)
			l.show(session, memories[talk.IntN(8)].UID, memories[talk.IntN(8)].UID)
			l.minutes(at + 2)
			l.utter(session, "assistant", fmt.Sprint("Platform ", 100+talk.IntN(8)))
			if talk.IntN(3) == 0 {
				l.minutes(at + 3)
				l.utter(session, "user", fmt.Sprint("Actually it is platform ", 100+talk.IntN(8)))
			}
		}
		l.set(367)
		l.night(dream.Outcomes{})
		var end []float64
		for _, m := range memories {
			end = append(end, l.get(m).Utility)
		}
		ends = append(ends, end)
	}
	require.Equal(t, ends[0], ends[1])
	require.Equal(t, ends[0], ends[2])
	require.NotEqual(t, make([]float64, 8), ends[0])
}
