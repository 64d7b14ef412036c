package erase_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/erase"
)

// A forgotten message, such as the request to forget, protects no block of core memory from an
// erasure: it says nothing any more.
func TestForgottenSayersProtectNothing(t *testing.T) {
	for _, forgets := range []bool{true, false} {
		now := day(time.March, 2)
		db := openAt(t, &now)
		said, err := memtest.Say(t.Context(), db, ada, "Our secret project is called Zanzibar")
		require.NoError(t, err)
		request, err := memtest.Say(t.Context(), db, ada, "Forget everything about Zanzibar")
		require.NoError(t, err)
		model, host := `["Zanzibar has no budget","The release is in May"]`, `["Nothing of Zanzibar goes out"]`
		user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
			if forgets {
				if err := tx.Forget(ctx, request, now, schema.Actor{Name: "user"}); err != nil {
					return err
				}
			}
			for name, content := range map[string]string{"model": model, "host": host} {
				b := &core.Block{UserID: userID, Name: name, Kind: core.BlockList}
				if err := core.Set(ctx, tx, b, content, schema.MaxTrust, "", schema.Actor{Name: name}); err != nil {
					return err
				}
			}
			return nil
		})
		_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{said.UID}}, schema.Actor{Name: "host"})
		require.NoError(t, err)
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			blocks, err := core.AllBlocks(ctx, s, user)
			require.NoError(t, err)
			require.Len(t, blocks, 2)
			require.Equal(t, host, blocks[0].Content)
			if forgets {
				model = `["The release is in May"]`
			}
			require.Equal(t, model, blocks[1].Content)
			return nil
		})
	}
}
