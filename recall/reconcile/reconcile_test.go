package reconcile_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/recall/reconcile"
	"github.com/ebbmem/ebb/schema"
)

// The bands of cognitive-v9.md, as docs/profiles/COGNITIVE.md reads them.
func TestVerdictBands(t *testing.T) {
	const create, reinforce, update, supersede, skip = reconcile.Create, reconcile.Reinforce, reconcile.Update, reconcile.Supersede, reconcile.Skip
	for _, c := range []struct {
		similarity                             float64
		alike, adds, contradicts, lower, above reconcile.Verdict // above: of higher trust
	}{
		{0, create, create, create, create, create},
		{0.69, create, create, create, create, create},
		{0.70, create, create, create, create, create},
		{0.749, create, create, create, create, create},
		{0.75, update, update, supersede, create, update},
		{0.92, update, update, supersede, create, update},
		{0.921, reinforce, update, supersede, skip, reinforce},
		{1, reinforce, update, supersede, skip, reinforce},
	} {
		ask := func(trust schema.Trust, n reconcile.Near) reconcile.Verdict {
			n.Memory, n.Similarity = &schema.Memory{Trust: 2}, c.similarity
			return reconcile.Cognitive(&schema.Memory{Trust: trust}, []reconcile.Near{n, {Memory: &schema.Memory{}, Contradicts: true}})
		}
		require.Equal(t, c.alike, ask(2, reconcile.Near{}), c.similarity)
		require.Equal(t, c.adds, ask(2, reconcile.Near{Adds: true}), c.similarity)
		require.Equal(t, c.contradicts, ask(2, reconcile.Near{Contradicts: true, Adds: true}), c.similarity)
		require.Equal(t, c.lower, ask(1, reconcile.Near{}), c.similarity)
		require.Equal(t, c.above, ask(4, reconcile.Near{}), c.similarity)
		for _, n := range []reconcile.Near{{Adds: true}, {Contradicts: true}} {
			require.Equal(t, create, ask(1, n), "lower trust changes nothing")
		}
	}
	require.Equal(t, create, reconcile.Cognitive(&schema.Memory{}, nil))
}

func TestSimilarClaims(t *testing.T) {
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ada, bob := schema.Scope{User: "ada"}, schema.Scope{User: "bob"}
	add := func(scope schema.Scope, text string) *schema.Memory {
		m := &schema.Memory{Kind: schema.KindFact, Content: text, Origin: schema.OriginUser, Trust: 4, Confidence: 1}
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
			if m.UserID, err = tx.UserID(ctx, scope); err != nil {
				return err
			}
			return tx.InsertMemory(ctx, m, schema.PrepareChunks(m.Content, ""))
		}))
		return m
	}
	known := add(ada, "I keep 11 hens behind the old barn")
	foreign := add(bob, "I keep 11 hens behind the old barn")
	searcher := recall.New(db, recall.Options{})
	defer searcher.Close()
	near := func(content string) reconcile.Near {
		n, found := find(t, searcher, reconcile.Cognitive, content).Near(known, false)
		require.True(t, found, content)
		return n
	}
	n := near("Ada keeps 11 hens behind the old barn.")
	require.InDelta(t, 1, n.Similarity, 1e-12, "the user's name is no word of the claim")
	require.False(t, n.Adds || n.Contradicts)
	n = near("I keep 12 hens behind the old barn")
	require.True(t, n.Contradicts, "another number")
	require.True(t, near("I keep no hens behind the old barn").Contradicts)
	n = near("I keep 11 hens behind the new barn")
	require.InDelta(t, 5.0/6, n.Similarity, 1e-12, "five of the words keep, 11, hens, behind, old and barn")
	require.True(t, n.Adds)
	require.False(t, n.Contradicts)

	similar := find(t, searcher, reconcile.Cognitive, known.Content)
	require.Equal(t, []int64{known.ID}, similar.IDs(), "nothing of another user's")
	_, found := similar.Near(foreign, false)
	require.False(t, found)
	require.Nil(t, find(t, searcher, nil, known.Content))
	require.Nil(t, find(t, nil, reconcile.Cognitive, known.Content))
	broken := find(t, searcher, func(*schema.Memory, []reconcile.Near) reconcile.Verdict { panic("a secret") }, known.Content)
	require.Equal(t, reconcile.Create, broken.Ask(known, []reconcile.Near{{Memory: known, Similarity: 1}}))
	require.Empty(t, find(t, searcher, reconcile.Cognitive, " ").IDs(), "nothing to search for")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	similar, err = reconcile.Find(ended, searcher, reconcile.Cognitive, ada, known.Content)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, similar.IDs())
}

func find(t *testing.T, searcher *recall.Searcher, decide reconcile.Func, content string) *reconcile.Similar {
	t.Helper()
	similar, err := reconcile.Find(t.Context(), searcher, decide, schema.Scope{User: "ada"}, content)
	require.NoError(t, err)
	return similar
}
