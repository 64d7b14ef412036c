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

// What an entity was merged into may be merged later: its mentions count as the last one's.
func TestMergesOfMerged(t *testing.T) {
	db := open(t)
	host := schema.Actor{Name: "host"}
	m := fact(t, db, "Vitya likes tea", day(3, 1), 2)
	var chain, mentioned, of []int64
	var guarded []bool
	var all [][]int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		var last *schema.Entity
		for _, name := range []string{"Vitya", "Viktor", "Viktor Orlov"} {
			e, err := tx.CreateEntity(ctx, m.UserID, schema.EntityPerson, name, 1)
			if err != nil {
				return err
			}
			if last == nil {
				err = tx.LinkEntity(ctx, m.ID, e.ID, name, 1)
			} else {
				err = tx.MergeEntities(ctx, last, e, host)
			}
			if err != nil {
				return err
			}
			chain, last = append(chain, e.ID), e
		}
		for _, protected := range []bool{true, false} {
			if err := tx.ProtectEntity(ctx, last, protected, host); err != nil {
				return err
			}
			one, err := tx.Night().IsGuarded(ctx, m.ID, true)
			if err != nil {
				return err
			}
			ids, err := tx.Night().Guarded(ctx, m.UserID, true)
			if err != nil {
				return err
			}
			guarded, all, last.Protected = append(guarded, one), append(all, ids), protected
		}
		if mentioned, err = tx.MentionedBy(ctx, []int64{m.ID}); err != nil {
			return err
		}
		return tx.Night().ClaimMentions(ctx, m.UserID, func(_, entity int64, _ string) { of = append(of, entity) })
	}))
	require.Equal(t, []bool{true, false}, guarded)
	require.Equal(t, [][]int64{{m.ID}, {}}, [][]int64{all[0], append([]int64{}, all[1]...)})
	require.ElementsMatch(t, chain, mentioned)
	require.Equal(t, chain[2:], of)
}
