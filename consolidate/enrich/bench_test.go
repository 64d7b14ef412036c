package enrich_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// BenchmarkEnrich links one short episode in a memory that knows 1,000 people.
func BenchmarkEnrich(b *testing.B) {
	db := memtest.Open(b)
	enricher := enrich.New(db, enrich.Options{})
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
		m := memtest.Remember(b, db, ada, schema.Memory{Content: fmt.Sprintf("We met Name%d Family%d and my boss Karim in Bergen, hey vitya", i%1000, i%1000), Confidence: 1})
		b.StartTimer()
		require.NoError(b, enricher.Enrich(b.Context(), ada, m.UID))
	}
}

// BenchmarkEnrichLong links a message of 1 MiB of names.
func BenchmarkEnrichLong(b *testing.B) {
	content := manyNames(1<<20 - 64)
	for b.Loop() {
		b.StopTimer()
		db := memtest.Open(b)
		m := memtest.Remember(b, db, ada, schema.Memory{Content: content, Confidence: 1})
		b.StartTimer()
		require.NoError(b, enrich.New(db, enrich.Options{}).Enrich(b.Context(), ada, m.UID))
	}
}
