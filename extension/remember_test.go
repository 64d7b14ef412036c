package extension

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

func TestRemember(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	r, err := l.x.Remember(t.Context(), dora, "Dora lives in Oslo.")
	require.NoError(t, err)
	require.Equal(t, schema.MaxTrust, r.Memory.Trust)
	require.Equal(t, schema.OriginUser, r.Memory.Origin)
	require.Len(t, r.Ended, 1)
	require.Equal(t, []string{"Oslo"}, l.objects())
	again, err := l.x.Remember(t.Context(), dora, "I live in Oslo.")
	require.NoError(t, err)
	require.True(t, again.Known)
	require.Equal(t, r.Memory.UID, again.Memory.UID)

	bad := &InvalidError{}
	for _, content := range []string{"", " \n", string(make([]rune, 2001))} {
		_, err = l.x.Remember(t.Context(), dora, content)
		require.ErrorAs(t, err, &bad, "%q", content)
	}
	_, err = l.x.Remember(t.Context(), Scope{}, "I live in Oslo.")
	require.ErrorAs(t, err, &bad)
	_, err = l.x.Correct(t.Context(), Scope{User: "eve"}, r.Memory.UID, "Eve lives in Oslo.")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = l.x.Forget(t.Context(), Scope{User: "eve"}, r.Memory.UID)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, l.x.Protect(t.Context(), Scope{User: "eve"}, r.Memory.UID), ErrNotFound)
	_, err = l.x.Forget(t.Context(), dora)
	require.ErrorAs(t, err, &bad)
}

func TestRememberAfterForget(t *testing.T) {
	l := newDiary(t)
	r, err := l.x.Remember(t.Context(), dora, "I live in Zagreb.")
	require.NoError(t, err)
	f, err := l.x.Forget(t.Context(), dora, r.Memory.UID)
	require.NoError(t, err)
	require.NotEmpty(t, f.RunID)
	require.Empty(t, l.objects())
	profile, err := l.x.Profile(t.Context(), dora)
	require.NoError(t, err)
	require.Empty(t, profile.Lines)
	l.now.Set(l.now.Now().AddDate(0, 0, 1))
	_, err = l.x.Remember(t.Context(), dora, "I live in Zagreb.")
	require.NoError(t, err)
	require.Equal(t, []string{"Zagreb"}, l.objects())
	profile, err = l.x.Profile(t.Context(), dora)
	require.NoError(t, err)
	require.Len(t, profile.Lines, 1, "there is no message that says it")
	require.Equal(t, "I live in Zagreb.", profile.Lines[0].Text)
}

func TestProtectedEntity(t *testing.T) {
	l := newDiary(t)
	l.says("My dentist is Dr Rao.")
	require.NoError(t, l.x.Protect(t.Context(), dora, "Rao"))
	l.says("My dentist is now Dr Lind.")
	require.ElementsMatch(t, []string{"Dr Rao", "Dr Lind"}, l.objects(), "what mentions it is not ended by the memory itself")
	require.NoError(t, l.x.Unprotect(t.Context(), dora, "rao"))
	l.says("My dentist is now Dr Lindqvist.")
	require.Equal(t, []string{"Dr Lindqvist"}, l.objects())
	require.ErrorIs(t, l.x.Protect(t.Context(), dora, "Atlantis"), ErrNotFound)
}

func TestProposalsAreAnnounced(t *testing.T) {
	var mu sync.Mutex
	var hooked []eventbus.Proposed
	l := newDiary(t, func(c *Config) {
		c.Hooks.OnProposal = func(scope Scope, w eventbus.Proposed) {
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, "dora", scope.User)
			hooked = append(hooked, w)
		}
	})
	var told []eventbus.Proposed
	_, err := l.x.Bus().Subscribe(t.Context(), "spy", func(_ context.Context, e eventbus.Event) error {
		var w eventbus.Proposed
		if err := e.Decode(&w); err != nil {
			return err
		}
		told = append(told, w)
		return nil
	}, eventbus.Topics(eventbus.TopicMemoryProposed))
	require.NoError(t, err)
	l.says("My dentist is Dr Rao.")
	fact := l.claimed()[0]
	for range 2 { // asked once
		l.tool("confirm_fact", map[string]any{"memory_id": fact.UID})
		l.tool("correct_fact", map[string]any{"memory_id": fact.UID, "new_content": "Dora's dentist is Dr Lind."})
		l.tool("forget_memory", map[string]any{"memory_id": fact.UID})
	}
	l.says("Please forget my cousin's boat.")
	var kinds []string
	for _, w := range told {
		kinds = append(kinds, w.Kind)
	}
	require.Equal(t, []string{ProposalProtect, ProposalCorrect, ProposalForget, ProposalForget}, kinds)
	require.Equal(t, told, hooked)
	require.Equal(t, fact.UID, told[0].MemoryID)

	waiting, err := l.x.Proposals(t.Context(), dora)
	require.NoError(t, err)
	require.Len(t, waiting, 4)
	require.Equal(t, fact.UID, waiting[0].MemoryID)
	require.Equal(t, fact.UID, waiting[2].MemoryID)
	var bad *InvalidError
	require.ErrorAs(t, l.x.Approve(t.Context(), dora, waiting[3].ID), &bad, "it does not say what")
	require.NoError(t, l.x.Approve(t.Context(), dora, waiting[2].ID))
	require.Empty(t, l.objects())
	require.Len(t, l.runs("host"), 1)
}

func TestApproveNewerError(t *testing.T) {
	for name, say := range map[string]string{"the fact was replaced": "I've moved to Oslo.", "another stands beside it": "I might also be said to live in Oslo."} {
		t.Run(name, func(t *testing.T) {
			l := newDiary(t)
			l.says("I live in Ghent.")
			fact := l.claimed()[0]
			l.tool("correct_fact", map[string]any{"memory_id": fact.UID, "new_content": "Dora lives in Paris."})
			waiting, err := l.x.Proposals(t.Context(), dora)
			require.NoError(t, err)
			require.Len(t, waiting, 1)
			l.says(say)
			if name != "the fact was replaced" {
				require.NoError(t, l.x.Approve(t.Context(), dora, waiting[0].ID), "no home was said")
				require.Equal(t, []string{"", "Paris"}, l.objects(), "the sentence is kept as it is, and says no home")
				return
			}
			var newer *NewerError
			err = l.x.Approve(t.Context(), dora, waiting[0].ID)
			require.ErrorAs(t, err, &newer)
			require.ErrorIs(t, err, ErrConflict)
			require.Equal(t, "I've moved to Oslo.", newer.Newer[0].Content)
			require.Equal(t, []string{"Oslo"}, l.objects())
			require.NoError(t, l.x.Approve(t.Context(), dora, waiting[0].ID, Anyway()))
			require.Equal(t, []string{"Paris"}, l.objects())
		})
	}
}

func TestPendingProposalDoesNotFade(t *testing.T) {

	l := newDiary(t, func(c *Config) {
		c.Ranking.Retention = func(*Record, time.Time) float64 { return 0 }
		c.Night.Stages = func([]Stage) []Stage { return []Stage{consolidate.Prune{}} }
	})

	l.says("My dentist is Dr Rao.")
	l.says("My car is a red Volvo.")
	var dentist Record
	for _, m := range l.claimed() {
		if m.Object == "Dr Rao" {
			dentist = m
		}
	}
	l.tool("confirm_fact", map[string]any{"memory_id": dentist.UID})
	l.now.Set(l.now.Now().AddDate(1, 0, 0))
	for range 3 {
		_, err := l.x.Consolidate(t.Context(), dora)
		require.NoError(t, err)
		l.now.Set(l.now.Now().AddDate(0, 0, 2))
	}
	require.Equal(t, []string{"Dr Rao"}, l.objects())

}

func TestCorrectNamesTheFactThatHolds(t *testing.T) {
	l := newDiary(t)
	first, err := l.x.Remember(t.Context(), dora, "Dora lives in Oslo.")
	require.NoError(t, err)
	second, err := l.x.Correct(t.Context(), dora, first.Memory.UID, "Dora lives in Bergen.")
	require.NoError(t, err)
	_, corrected := l.x.Correct(t.Context(), dora, first.Memory.UID, "Dora lives in Ghent.")
	for _, err := range []error{corrected, l.x.Protect(t.Context(), dora, first.Memory.UID)} {
		require.ErrorIs(t, err, ErrConflict)
		require.EqualError(t, err, "memory "+first.Memory.UID+" is no longer current; "+second.Memory.UID+" replaced it")
	}
	_, err = l.x.Forget(t.Context(), dora, second.Memory.UID)
	require.NoError(t, err)
	_, err = l.x.Correct(t.Context(), dora, second.Memory.UID, "Dora lives in Ghent.")
	require.ErrorIs(t, err, ErrConflict)
	require.EqualError(t, err, "memory "+second.Memory.UID+" is no longer current")
}

func TestProtectNeedsAName(t *testing.T) {
	l := newDiary(t)
	l.says("I live in Ghent.")
	for _, what := range []string{"", "  "} {
		invalid := &InvalidError{}
		require.ErrorAs(t, l.x.Protect(t.Context(), dora, what), &invalid)
		require.Equal(t, "idOrName", invalid.Field)
	}
	err := l.x.Unprotect(t.Context(), dora, "Zanzibarix")
	require.ErrorIs(t, err, ErrNotFound)
	require.NotContains(t, err.Error(), "Zanzibarix", "errors hold no user's text")
}

func TestEmptyListsAreLists(t *testing.T) {
	l := newDiary(t)
	for _, scope := range []Scope{dora, {User: "nobody"}} {
		proposals, err := l.x.Proposals(t.Context(), scope)
		require.NoError(t, err)
		timeline, err := l.x.Timeline(t.Context(), scope, TimelineQuery{})
		require.NoError(t, err)
		quarantined, err := l.x.Quarantined(t.Context(), scope, 0)
		require.NoError(t, err)
		encoded, err := json.Marshal([]any{proposals, timeline, quarantined})
		require.NoError(t, err)
		require.JSONEq(t, `[[],[],[]]`, string(encoded))
	}
}
