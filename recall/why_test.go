package recall

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func fieldsOf(v any) int { return reflect.TypeOf(v).NumField() }

func TestWhy(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada,
		turn{session: "a", role: "user", text: "The kettle is green and the kettle is loud."},
		turn{session: "b", role: "user", text: "Someone dented the kettle."},
		turn{session: "c", role: "user", text: "We rowed across the lake."},
		turn{session: "d", role: "user", text: "Old kettle, gone to the attic."},
	)
	changeState(t, db, ids[3], schema.StateDormant)
	uids := make([]string, len(ids))
	snapshot(t, db, ada, func(ctx context.Context, s *schema.Snapshot, user int64) {
		all, err := s.MemoriesByID(ctx, user, ids)
		require.NoError(t, err)
		for _, m := range all {
			for i, id := range ids {
				if m.ID == id {
					uids[i] = m.UID
				}
			}
		}
	})
	s := New(db, Options{Weights: withoutTopics()})
	for name, test := range map[string]struct {
		memory  int
		q       Query
		outcome Outcome
		reason  string
	}{
		"found":       {0, Query{}, Returned, "result 1 of 2"},
		"below":       {1, Query{Limit: 1}, Outranked, "ranks 2 of 2, and the limit is 1"},
		"not matched": {2, Query{}, Unmatched, "no arm proposed it"},
		"dormant":     {3, Query{}, Excluded, "it is dormant"},
		"kind":        {0, Query{Kinds: []schema.Kind{schema.KindFact}}, Excluded, "kind"},
		"session":     {0, Query{Session: "b"}, Excluded, "session"},
		"skip":        {0, Query{Skip: func(*schema.Memory) bool { return true }}, Excluded, "the caller leaves it out"},
		"agent":       {0, Query{Agent: "cook"}, Excluded, "agent"},
		"budget":      {0, Query{Budget: 1}, Cut, "token budget"},
	} {
		test.q.Text, test.q.Now = "green kettle", noon
		e, err := s.Why(context.Background(), ada, test.q, uids[test.memory])
		require.NoError(t, err, name)
		require.Equal(t, test.outcome, e.Outcome, name)
		require.Contains(t, e.Reason, test.reason, name)
		require.Equal(t, uids[test.memory], e.Memory.UID)
		ranked := test.outcome != Unmatched && test.outcome != Excluded
		require.Equal(t, ranked, e.Result != nil, name)
		require.Equal(t, ranked, e.Result != nil && strings.Contains(e.Result.Explain(), "found by text"), name)
		require.Equal(t, test.outcome == Outranked, e.Above != nil, name)
	}
	_, err := s.Why(context.Background(), ada, Query{Text: "kettle"}, "unknown")
	require.ErrorIs(t, err, schema.ErrNotFound)
	_, err = s.Why(context.Background(), schema.Scope{User: "bob"}, Query{Text: "kettle"}, uids[0])
	require.ErrorIs(t, err, schema.ErrNotFound)
}

func TestWhyComparesWithResultAbove(t *testing.T) {
	db := open(t)
	say(t, db, ada,
		turn{session: "a", role: "user", text: "The kettle is green and the kettle is loud."},
		turn{session: "b", role: "user", text: "Someone dented the kettle."},
		turn{session: "c", role: "user", text: "Old kettle, gone to the attic."},
	)
	s := New(db, Options{Weights: withoutTopics()})
	q := Query{Text: "green kettle", Now: noon}
	results := search(t, s, q).Results
	require.Len(t, results, 3)
	first, err := s.Why(t.Context(), ada, q, results[0].Memory.UID)
	require.NoError(t, err)
	require.Nil(t, first.Above)
	require.Empty(t, first.Apart())

	e, err := s.Why(t.Context(), ada, q, results[1].Memory.UID)
	require.NoError(t, err)
	require.Equal(t, results[0].Memory.UID, e.Above.Memory.UID)
	apart, sum := e.Apart(), 0.0
	for i, d := range apart {
		sum += d.Value
		require.True(t, i == 0 || math.Abs(d.Value) <= math.Abs(apart[i-1].Value))
	}
	require.InDelta(t, results[0].Score-results[1].Score, sum, 0.01)
}

func TestArmsHaveNames(t *testing.T) {
	for _, arm := range New(open(t), Options{}).arms {
		require.Contains(t, ArmNames, arm.Name())
	}
}
