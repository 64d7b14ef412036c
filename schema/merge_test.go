package schema_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// A night reads entities, thinks, and merges them later.
func TestEntitiesAreMergedAsTheyAreStored(t *testing.T) {
	db := open(t)
	host := schema.Actor{Name: "host"}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, schema.Scope{User: "ada"})
		require.NoError(t, err)
		create := func(name string) *schema.Entity {
			e, err := tx.CreateEntity(ctx, userID, schema.EntityPerson, name, 1)
			require.NoError(t, err)
			return e
		}
		from, into, other := create("Vitya"), create("Viktor"), create("Vitaly")
		_, err = tx.Exec(ctx, "UPDATE entities SET mention_count = 3 WHERE id = ?", from.ID)
		require.NoError(t, err)
		require.NoError(t, tx.MergeEntities(ctx, from, into, host))
		now, err := tx.Entity(ctx, userID, into.UID)
		require.NoError(t, err)
		require.EqualValues(t, 3, now.MentionCount, "as counted in the meantime")
		require.ErrorIs(t, tx.MergeEntities(ctx, from, other, host), schema.ErrConflict)

		var invalid *schema.InvalidError
		require.ErrorAs(t, tx.MergeEntities(ctx, into, from, host), &invalid, "they are one already")
		_, err = tx.Exec(ctx, "UPDATE entities SET protected = 1 WHERE id = ?", other.ID)
		require.NoError(t, err)
		require.ErrorAs(t, tx.MergeEntities(ctx, other, into, host), &invalid, "protected in the meantime")
		require.ErrorAs(t, tx.MergeEntities(ctx, into, other, host), &invalid)
		_, err = tx.Entity(ctx, userID, "nobody")
		require.ErrorIs(t, err, schema.ErrNotFound)
		return nil
	}))
}
