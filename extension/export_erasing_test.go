package extension

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

// An erasure that was interrupted leaves rows that no read returns. An export leaves
// them out as well, and ebb doctor does not take them for damage.
func TestExportDuringAnErasure(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	x, err := Open(ctx, path, &Config{NoBackground: true})
	require.NoError(t, err)
	require.NoError(t, say(ctx, x, "I live in Oslo."))
	require.NoError(t, say(ctx, x, "My code word is xylophone."))
	require.NoError(t, say(ctx, x, "I like liquorice."))
	require.NoError(t, x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, ada)
		if err != nil {
			return err
		}
		for _, statement := range []string{
			"INSERT INTO erasures (uid, user_id, everything, state, actor, asked_at, receipt) VALUES ('x', ?, 0, 'erasing', 'host', 1, '{}')",
			"INSERT INTO erasing (record, id, erasure_id) SELECT 'memories', id, (SELECT max(id) FROM erasures) FROM memories WHERE user_id = ? AND content LIKE '%xylophone%'",
			"INSERT INTO erasing (record, id, erasure_id) SELECT 'events', event_seq, (SELECT max(id) FROM erasures) FROM memories WHERE user_id = ? AND content LIKE '%xylophone%'",
			"INSERT INTO memory_sources (memory_id, source_id, quote) SELECT a.id, b.id, 'xylophone' FROM memories a, memories b WHERE a.user_id = ? AND a.content LIKE '%Oslo%' AND b.content LIKE '%xylophone%'",
		} {
			if _, err := tx.Exec(ctx, statement, userID); err != nil {
				return err
			}
		}
		return nil
	}))
	export := exported(t, x, ada)
	require.Contains(t, export, "Oslo")
	require.Contains(t, export, "liquorice")
	require.NotContains(t, export, "xylophone")
	other, err := Open(ctx, filepath.Join(t.TempDir(), "other.db"), &Config{NoBackground: true})
	require.NoError(t, err)
	restored(t, other, export)
	require.NoError(t, other.Close(ctx))
	require.NoError(t, x.Close(ctx))
	db, err := check.Open("file:"+path+"?_txlock=deferred", true)
	require.NoError(t, err)
	defer db.Close()
	for _, look := range []func(context.Context, schema.Querier) ([]string, error){check.Pages, check.References, check.CrossReferences, check.Values, check.Watermarks} {
		found, err := look(ctx, db)
		require.NoError(t, err)
		require.Empty(t, found)
	}
	for _, i := range check.Invariants {
		var broken int
		require.NoError(t, db.QueryRowContext(ctx, i.Query).Scan(&broken), i.Name)
		require.Zero(t, broken, i.Name)
	}
}
