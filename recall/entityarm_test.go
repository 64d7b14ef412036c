package recall

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A merge is seen by the next search, and the newest mentions of an entity and
// its parts together are what is proposed.
func TestMentionsFollowMerges(t *testing.T) {
	db := open(t)
	var turns []turn
	for i := range entityDepth + 20 {
		turns = append(turns, turn{text: fmt.Sprint("it was said again ", i), minutes: i})
	}
	ids := say(t, db, ada, turns...)
	var vera, boss *schema.Entity
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, ada)
		require.NoError(t, err)
		vera, err = tx.CreateEntity(ctx, user, schema.EntityPerson, "Vera", 1)
		require.NoError(t, err)
		boss, err = tx.CreateEntity(ctx, user, schema.EntityPerson, "Chief", 1)
		require.NoError(t, err)
		for i, id := range ids { // the newest mention both
			if i < 3 || i >= len(ids)-10 {
				require.NoError(t, tx.LinkEntity(ctx, id, vera.ID, "Vera", 1))
			}
			if i >= 3 {
				require.NoError(t, tx.LinkEntity(ctx, id, boss.ID, "Chief", 1))
			}
		}
		return nil
	}))
	s := New(db, Options{})
	proposed := func() (n int) {
		for _, r := range search(t, s, Query{Text: "Where is Vera?", Limit: MaxLimit}).Results {
			for _, a := range r.Arms {
				if a.Arm == "entity" {
					n++
				}
			}
		}
		return n
	}
	require.Equal(t, 13, proposed())
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.MergeEntities(ctx, boss, vera, host)
	}))
	require.Equal(t, entityDepth, proposed())
}
