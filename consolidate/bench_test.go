package consolidate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// BenchmarkEnrich links one short episode in a memory that knows 1,000 people.
func BenchmarkEnrich(b *testing.B) {
	db := open(b)
	enricher := consolidate.NewEnricher(db, consolidate.EnrichOptions{})
	var userID int64
	require.NoError(b, db.Write(b.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if userID, err = tx.UserID(ctx, ada); err != nil {
			return err
		}
		for i := range 1000 {
			if _, err := tx.CreateEntity(ctx, userID, schema.EntityPerson, fmt.Sprintf("Name%d Family%d", i, i), .9); err != nil {
				return err
			}
		}
		return nil
	}))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		m := remember(b, db, ada, schema.Memory{Content: fmt.Sprintf("We met Name%d Family%d and my boss Karim in Bergen, hey vitya", i%1000, i%1000), Confidence: 1})
		b.StartTimer()
		require.NoError(b, enricher.Enrich(b.Context(), ada, m.UID))
	}
}

// BenchmarkEnrichHuge links a message of 1 MiB of names.
func BenchmarkEnrichHuge(b *testing.B) {
	content := manyNames(1<<20 - 64)
	for b.Loop() {
		b.StopTimer()
		db := open(b)
		m := remember(b, db, ada, schema.Memory{Content: content, Confidence: 1})
		b.StartTimer()
		require.NoError(b, consolidate.NewEnricher(db, consolidate.EnrichOptions{}).Enrich(b.Context(), ada, m.UID))
	}
}

// BenchmarkNight runs the default stages over 10,000 derived memories.
func BenchmarkNight(b *testing.B) {
	db, _ := aged(b)
	for i := range 10 {
		require.NoError(b, db.Write(b.Context(), func(ctx context.Context, tx *schema.Tx) error {
			userID, err := tx.UserID(ctx, ada)
			if err != nil {
				return err
			}
			for j := range 1000 {
				err := tx.InsertMemory(ctx, &schema.Memory{
					UserID: userID, Kind: schema.KindFact, Content: fmt.Sprintf("fact %d %d", i, j), Confidence: .8, Importance: .5,
					DecayRate: schema.DefaultDecayRate, Origin: schema.OriginAssistant, Trust: 2,
				}, nil)
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
	r := runner(b, db)
	for b.Loop() {
		_, err := r.Run(b.Context(), ada, consolidate.CauseManual)
		require.NoError(b, err)
	}
}
