package extension_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// aging is a memory whose clock is set by days.
type aging struct {
	*extension.Extension

	days atomic.Int64
}

func age(t *testing.T, cfg extension.Config) *aging {
	t.Helper()
	a := new(aging)
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cfg.Now = func() time.Time { return begin.AddDate(0, 0, int(a.days.Load())) }
	cfg.Location, cfg.Night.NoSchedule = time.UTC, true
	x, err := extension.Open(t.Context(), fresh(t), &cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
	a.Extension = x
	return a
}

// night lets a day pass, with its night.
func (a *aging) night(t *testing.T) {
	a.days.Add(1)
	_, err := a.Consolidate(t.Context(), ada)
	require.NoError(t, err)
}

// toldOnce are things that a user says once.
var toldOnce = []string{
	"I am allergic to cashews.", "I live in Oslo.", "My sister is called Noor.", "I work at Nordbank.", "I play the cello.", "My dentist is Tom Falk.",
	"I prefer trains to planes.", "I swim every Tuesday.", "I have a cat called Commodore.", "My flat has no lift.", "I speak Finnish.", "I am left-handed.",
}

// By the document's curve 12 of 12 are active on day 60, 7 on day 75, none on day 90.
func TestStatedFactsStayActiveForAYear(t *testing.T) {
	a := age(t, extension.Config{})
	s := session(t, a.Extension, ada)
	for _, sentence := range toldOnce {
		require.NoError(t, a.Bus().Publish(t.Context(), eventbus.UserMessage(ada, sentence)))
		require.Contains(t, callTool(t, s, "remember_fact", sentence), "with the user's message as its source")
	}
	for _, day := range []int64{60, 75, 90, 365} {
		for a.days.Load() < min(day, 90)-1 {
			a.night(t)
		}
		a.days.Store(day - 1)
		a.night(t)
		require.Len(t, claims(t, a, "active"), len(toldOnce), "day %d", day)
	}
}

// claims lists the facts and preferences in a state.
func claims(t *testing.T, a *aging, state string) (contents []string) {
	page, err := a.Timeline(t.Context(), ada, extension.TimelineQuery{Kinds: []extension.Kind{extension.KindFact, extension.KindPreference}})
	require.NoError(t, err)
	for _, m := range page {
		if string(m.State) == state {
			contents = append(contents, m.Content)
		}
	}
	return contents
}

func TestPendingQuestionDoesNotFade(t *testing.T) {
	a := age(t, extension.Config{Ranking: extension.RankingConfig{Retention: extension.DocumentRetention}})
	s := session(t, a.Extension, ada)
	require.NoError(t, a.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "I am allergic to cashews.")))
	callTool(t, s, "remember_fact", "I am allergic to cashews.")
	fact := onlyFact(t, a.Extension, "cashews")
	callTool(t, s, "confirm_fact", fact.UID)
	left := func() float64 {
		d, err := a.Get(t.Context(), ada, fact.UID)
		require.NoError(t, err)
		return d.Retention
	}
	a.days.Add(199)
	a.night(t)
	require.InDelta(t, 1, left(), 0)
	require.Empty(t, claims(t, a, "dormant"))

	waiting, err := a.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.NoError(t, a.Reject(t.Context(), ada, waiting[0].ID))
	require.InDelta(t, 1, left(), 0, "it fades from now on")
	a.days.Add(69)
	a.night(t)
	require.Empty(t, claims(t, a, "dormant"))
	a.days.Add(1)
	a.night(t)
	require.Equal(t, []string{fact.Content}, claims(t, a, "dormant"))
}
