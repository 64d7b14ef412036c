package recall

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/planner"
	"github.com/ebbmem/ebb/schema"
)

// connect relates memories by id, a chain.
func connect(t *testing.T, db *schema.DB, typ string, confidence float64, ids ...int64) {
	t.Helper()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for i := range ids[1:] {
			var user int64
			if err := tx.Row(ctx, "SELECT user_id FROM memories WHERE id = ?", []any{ids[i]}, &user); err != nil {
				return err
			}
			if _, err := tx.Link(ctx, &schema.Memory{ID: ids[i], UserID: user}, &schema.Memory{ID: ids[i+1]}, typ, confidence, schema.Actor{Name: "test"}); err != nil {
				return err
			}
		}
		return nil
	}))
}

func why(t *testing.T, db *schema.DB, plan planner.Func) *Searcher {
	t.Helper()
	weights := DefaultWeights()
	weights.Topic, weights.TopicBeside = 0, 0 // the words of the question alone
	s := New(db, Options{Planner: plan, Weights: &weights})
	t.Cleanup(s.Close)
	return s
}

func rankOf(a *Answer, text string) int {
	for _, r := range a.Results {
		if r.Memory.Content == text {
			return r.Rank
		}
	}
	return 0
}

var leak = []turn{
	{"a", "Ada", "user", "The cellar was flooded on Monday.", "", 1},
	{"b", "Ada", "user", "A fuse had blown over the weekend.", "", 2},
	{"c", "Ada", "user", "The electrician came late.", "", 3},
	{"d", "Ada", "user", "His van had a puncture.", "", 4},
	{"e", "Ada", "user", "The oboe needs new reeds.", "", 5},
}

func TestCausalQuestionFollowsRelations(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada, leak...)
	connect(t, db, schema.LinkCauses, 0.9, ids[3], ids[2], ids[1], ids[0])
	connect(t, db, schema.LinkRelated, 1, ids[0], ids[4])
	question := Query{Text: "Why was the cellar flooded?"}

	a := search(t, why(t, db, planner.Cognitive), question)
	require.Equal(t, 1, rankOf(a, leak[0].text))
	require.Equal(t, 2, rankOf(a, leak[1].text))
	require.Equal(t, 3, rankOf(a, leak[2].text), "two relations away")
	require.Zero(t, rankOf(a, leak[3].text), "three relations are too many")
	require.Zero(t, rankOf(a, leak[4].text), "what is loosely related is no cause")
	found := a.Results[1]
	require.Equal(t, "links", found.Arms[len(found.Arms)-1].Arm)
	sum := 0.0
	for _, s := range found.Signals {
		sum += s.Contribution()
	}
	require.InDelta(t, sum, found.Score, 1e-9, "the score explains itself")
	require.InDelta(t, 0.9*a.Results[0].Score, found.Score, 1e-9)
	require.Contains(t, found.Explain(), "found by links: rank 1")

	require.Zero(t, rankOf(search(t, why(t, db, nil), question), leak[1].text), "without a plan no relation is followed")
	question.Text = "Was the cellar flooded?"
	require.Zero(t, rankOf(search(t, why(t, db, planner.Cognitive), question), leak[1].text), "this asks for no cause")
}

func TestRelationsOfOthersAndCycles(t *testing.T) {
	db := open(t)
	ids := say(t, db, ada, leak...)
	foreign := say(t, db, schema.Scope{User: "bob"}, turn{"z", "Bob", "user", "My secret is blue.", "", 9})
	connect(t, db, schema.LinkCauses, 1, ids[0], foreign[0]) // no code writes it
	connect(t, db, schema.LinkCauses, 1, ids[0], ids[0])
	connect(t, db, schema.LinkCauses, 1, ids[0], ids[1], ids[2], ids[0])
	s := why(t, db, func(q planner.Question) planner.Plan {
		return planner.Plan{Queries: []string{q.Text}, Hops: 1 << 30, Links: []string{schema.LinkCauses}}
	})
	a := search(t, s, Query{Text: "Why was the cellar flooded?"})
	require.Len(t, a.Results, 3)
	require.Empty(t, a.Degraded)
	for _, r := range a.Results {
		require.NotEqual(t, "My secret is blue.", r.Memory.Content)
	}

	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
		links, err := snap.LinksOf(ctx, a.Results[0].Memory.UserID, ids, schema.LinkCauses)
		for _, l := range links {
			require.NotEqual(t, foreign[0], l.To.ID)
		}
		return err
	}))
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		m, err := tx.Memory(ctx, a.Results[0].Memory.UserID, a.Results[1].Memory.UID)
		if err != nil {
			return err
		}
		return tx.Forget(ctx, m, noon, schema.Actor{Name: "test"})
	}))
	require.Len(t, search(t, s, Query{Text: "Why was the cellar flooded?"}).Results, 2, "what is forgotten is not found along relations")
}
