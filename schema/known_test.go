package schema_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// Sentences that no pattern parsed have no key, and forgotten claims are few: neither may push
// out what a new claim is compared with.
func TestClaimKeysBehindManyClaims(t *testing.T) {
	db := open(t)
	var keys []schema.ClaimKey
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, schema.Scope{User: "ada"})
		if err != nil {
			return err
		}
		insert := func(content, object string) *schema.Memory {
			m := &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: content, Origin: schema.OriginUser, Trust: 4, Confidence: 1, EventTime: schema.At(day(3, 1))}
			if object != "" {
				m.Subject, m.Predicate, m.Object = "the user", "lives_in", object
			}
			require.NoError(t, tx.InsertMemory(ctx, m, nil))
			return m
		}
		require.NoError(t, tx.Forget(ctx, insert("I live in Zagreb.", "Zagreb"), day(3, 2), schema.Actor{Name: "host"}))
		for i := range 600 {
			insert(fmt.Sprint("I live in town ", i), fmt.Sprint("town ", i))
		}
		for i := range 1000 {
			insert(fmt.Sprint("sentence ", i), "")
		}
		for i := range 401 {
			insert(fmt.Sprint("I live in village ", i), fmt.Sprint("village ", i))
		}
		keys, err = tx.ClaimKeys(ctx, userID)
		return err
	}))
	require.Len(t, keys, 1001)
	require.Equal(t, "village 400", keys[0].Object)
	require.Equal(t, "town 1", keys[999].Object)
	require.Equal(t, "Zagreb", keys[1000].Object)
}
