package schema_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func TestEntitySpelling(t *testing.T) {
	db, ada := open(t), schema.Scope{User: "ada"}
	var first, again, merged *schema.Entity
	userID := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) (err error) {
		var created bool
		first, created, err = tx.ResolveEntity(ctx, userID, schema.EntityName, "Zoë Müller", .8)
		require.NoError(t, err)
		require.True(t, created)
		again, created, err = tx.ResolveEntity(ctx, userID, schema.EntityPerson, " ZOE  muller", .5)
		require.NoError(t, err)
		require.False(t, created)
		require.Equal(t, first.ID, again.ID)
		require.Equal(t, schema.EntityPerson, again.Type, "an unknown type takes the telling one")
		require.Equal(t, "Zoë Müller", again.Name, "the name stays as first written")

		other, created, err := tx.ResolveEntity(ctx, userID, schema.EntityPerson, "Zozo", .4)
		require.NoError(t, err)
		require.True(t, created)
		_, err = tx.Exec(ctx, "UPDATE entities SET merged_into = ? WHERE id = ?", first.ID, other.ID)
		require.NoError(t, err)
		merged, created, err = tx.ResolveEntity(ctx, userID, schema.EntityPerson, "zozo", .4)
		require.False(t, created)
		return err
	})
	require.Equal(t, first.ID, merged.ID, "a merged entity leads to the one it became")

	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		found, err := s.EntitiesByName(ctx, userID, "ZOZO")
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, first.UID, found[0].UID)
		aliases, err := s.AliasesOf(ctx, first.ID)
		require.NoError(t, err)
		require.Len(t, aliases, 2)
		require.Equal(t, "zoe muller", aliases[0].Alias)
		require.Equal(t, "zozo", aliases[1].Alias)
		none, err := s.EntitiesByName(ctx, userID, "nobody")
		require.NoError(t, err)
		require.Empty(t, none)
		return nil
	})
	// Another user's Zoë is somebody else.
	memtest.Write(t, db, schema.Scope{User: "bob"}, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		theirs, created, err := tx.ResolveEntity(ctx, userID, schema.EntityPerson, "Zoë Müller", .8)
		require.True(t, created)
		require.NotEqual(t, first.ID, theirs.ID)
		return err
	})
}

func TestLinksCountEachMemoryOnce(t *testing.T) {
	db, ada := open(t), schema.Scope{User: "ada"}
	m1, err := memtest.Say(t.Context(), db, ada, "Karim met Noor")
	require.NoError(t, err)
	m2, err := memtest.Say(t.Context(), db, ada, "Karim again")
	require.NoError(t, err)
	bobs, err := memtest.Say(t.Context(), db, schema.Scope{User: "bob"}, "Karim, somebody else's")
	require.NoError(t, err)

	var karim, noor *schema.Entity
	link := func(ctx context.Context, tx *schema.Tx, userID int64) (err error) {
		if karim, _, err = tx.ResolveEntity(ctx, userID, schema.EntityPerson, "Karim", .9); err != nil {
			return err
		}
		if noor, _, err = tx.ResolveEntity(ctx, userID, schema.EntityPerson, "Noor", .9); err != nil {
			return err
		}
		return errors.Join(
			tx.LinkEntity(ctx, m1.ID, karim.ID, "Karim", .9), tx.LinkEntity(ctx, m1.ID, noor.ID, "Noor", .9),
			tx.LinkEntity(ctx, m2.ID, karim.ID, "Karim", .9), tx.LinkEntity(ctx, m2.ID, karim.ID, "he", .5))
	}
	memtest.Write(t, db, ada, link)
	userID := memtest.Write(t, db, ada, link)

	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		found, err := s.EntitiesByName(ctx, userID, "karim")
		require.NoError(t, err)
		require.EqualValues(t, 2, found[0].MentionCount)
		memories, err := s.EntityMemories(ctx, karim.ID, 0)
		require.NoError(t, err)
		require.Len(t, memories, 2)
		memories, err = s.EntityMemories(ctx, karim.ID, 1, schema.KindEpisode)
		require.NoError(t, err)
		require.Len(t, memories, 1)
		memories, err = s.EntityMemories(ctx, karim.ID, 0, schema.KindFact)
		require.NoError(t, err)
		require.Empty(t, memories)
		related, err := s.RelatedEntities(ctx, karim.ID, 5)
		require.NoError(t, err)
		require.Len(t, related, 1)
		require.Equal(t, "Noor", related[0].Name)
		require.EqualValues(t, 1, related[0].Together)
		return nil
	})
	err = db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return tx.LinkEntity(ctx, bobs.ID, karim.ID, "Karim", .9)
	})
	require.ErrorIs(t, err, schema.ErrNotFound, "no link crosses users")
}

func TestEntitiesRefuseByField(t *testing.T) {
	db := open(t)
	for _, c := range []struct {
		field, typ, surface string
		confidence          float64
	}{
		{"type", " ", "Karim", .5}, {"surface", "person", " \t", .5}, {"surface", "person", "a\x00b", .5}, {"confidence", "person", "Karim", 1.5},
	} {
		err := db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			userID, err := tx.UserID(ctx, schema.Scope{User: "ada"})
			if err != nil {
				return err
			}
			_, _, err = tx.ResolveEntity(ctx, userID, c.typ, c.surface, c.confidence)
			return err
		})
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid, "%q %q", c.typ, c.surface)
		require.Equal(t, c.field, invalid.Field)
	}
}

func TestFailuresKeepTheNewestAndTheCount(t *testing.T) {
	db := open(t)
	record := func(source string, userID int64, err error) {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			return tx.RecordFailure(ctx, source, userID, err)
		}))
	}
	record("night", 0, errors.New("first"))
	record("night", 0, errors.New("second\x00\xff"))
	record("night", 0, nil)
	record("enrich", 7, errors.New("other"))
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		failures, err := schema.Failures(ctx, s)
		require.NoError(t, err)
		require.Len(t, failures, 2)
		for _, f := range failures {
			if f.Source == "night" {
				require.Equal(t, "second", f.Error)
				require.EqualValues(t, 2, f.Count)
				require.False(t, f.FirstAt.After(f.LastAt.Time))
			}
		}
		return nil
	})
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error { return tx.ClearFailure(ctx, "night", 0) }))
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		failures, err := schema.Failures(ctx, s)
		require.Len(t, failures, 1)
		return err
	})
}
