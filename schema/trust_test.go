package schema_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestSupersedeNeedsTrust(t *testing.T) {
	db := open(t)
	for old := schema.Trust(0); old <= schema.MaxTrust; old++ {
		for by := schema.Trust(0); by <= schema.MaxTrust; by++ {
			err := db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, schema.Scope{User: "ada"})
				if err != nil {
					return err
				}
				claim := func(content string, trust schema.Trust) *schema.Memory {
					return &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: content, Confidence: 1, Origin: schema.OriginAssistant, Trust: trust}
				}
				was, is := claim("The ferry leaves at noon.", old), claim("The ferry leaves at nine.", by)
				for _, m := range []*schema.Memory{was, is} {
					if err := tx.InsertMemory(ctx, m, nil); err != nil {
						return err
					}
				}
				return tx.Supersede(ctx, was, is, schema.Actor{Name: "night"})
			})
			if by >= old {
				require.NoError(t, err)
				continue
			}
			var invalid *schema.InvalidError
			require.ErrorAs(t, err, &invalid, "%d over %d", by, old)
			require.Equal(t, "trust", invalid.Field)
		}
	}
}
