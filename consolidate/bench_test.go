package consolidate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

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
