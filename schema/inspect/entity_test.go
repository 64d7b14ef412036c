package inspect_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// What mentions an entity that was merged into a merged one is shown with the last of them.
func TestMergesOfMerged(t *testing.T) {
	db := memtest.Open(t)
	m := &schema.Memory{Kind: schema.KindFact, Content: "Vitya likes tea", Origin: schema.OriginUser, Trust: 4, Confidence: 1}
	var last *schema.Entity
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, schema.Scope{User: "ada"}); err != nil {
			return err
		}
		if err := tx.InsertMemory(ctx, m, nil); err != nil {
			return err
		}
		for _, name := range []string{"Vitya", "Viktor", "Viktor Orlov"} {
			e, err := tx.CreateEntity(ctx, m.UserID, schema.EntityPerson, name, 1)
			if err != nil {
				return err
			}
			if last == nil {
				err = tx.LinkEntity(ctx, m.ID, e.ID, name, 1)
			} else {
				err = tx.MergeEntities(ctx, last, e, schema.Actor{Name: "host"})
			}
			if err != nil {
				return err
			}
			last = e
		}
		return nil
	}))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		records, err := inspect.Timeline(ctx, s, m.UserID, inspect.TimelineQuery{Entity: "vitya"})
		require.NoError(t, err)
		require.Len(t, records, 1)
		entities, err := inspect.Entities(ctx, s, m.UserID, "vitya", 10)
		require.NoError(t, err)
		require.Len(t, entities, 1)
		require.Equal(t, last.UID, entities[0].UID)
		e, err := inspect.ReadEntity(ctx, s, m.UserID, last.UID)
		require.NoError(t, err)
		require.Len(t, e.Claims, 1)
		d, err := inspect.ReadDetail(ctx, s, &records[0])
		require.NoError(t, err)
		require.Len(t, d.Entities, 1)
		require.Equal(t, last.UID, d.Entities[0].ID)
		return nil
	}))
}
