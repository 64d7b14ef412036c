package extension

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// An export leaves out all that an interrupted erasure is to delete, with what was
// made of it: it finishes the erasure, and is refused where it may not write.
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
			"INSERT INTO erasures (uid, user_id, everything, state, actor, asked_at, receipt) VALUES ('x', ?, 0, 'erasing', 'host', 1, '{\"id\":\"x\",\"erased\":{},\"rewritten\":{}}')",
			"INSERT INTO erasing (record, id, erasure_id) SELECT 'memories', id, (SELECT max(id) FROM erasures) FROM memories WHERE user_id = ? AND content LIKE '%xylophone%'",
			"INSERT INTO erasing (record, id, erasure_id) SELECT 'events', event_seq, (SELECT max(id) FROM erasures) FROM memories WHERE user_id = ? AND content LIKE '%xylophone%'",
			"INSERT INTO blocks (user_id, agent, name, kind, content, trust, version, updated_at) VALUES (?, '', 'notes', 'list', '[\"the xylophone\"]', 2, 1, 0)",
			"INSERT INTO block_history (block_id, version, content, trust, actor, at, agent) SELECT id, version, content, trust, 'model', 0, '' FROM blocks WHERE user_id = ?",
			"INSERT INTO proposals (uid, user_id, kind, payload, state, created_at) VALUES ('p', ?, 'block', '{\"block\":\"notes\",\"content\":\"\",\"new_content\":\"[\\\"xylophone\\\"]\"}', 'pending', 0)",
			"INSERT INTO entities (uid, user_id, type, name, confidence, created_at) VALUES ('e', ?, 'thing', 'Xylophone', 1, 0)",
			"INSERT INTO runs (uid, user_id, cause, state, started_at, stages) VALUES ('r', ?, 'night', 'done', 0, '[{\"name\":\"extract\",\"notes\":[\"xylophone\"]}]')",
		} {
			if _, err := tx.Exec(ctx, statement, userID); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, x.Close(ctx))
	x, err = Open(ctx, path, &Config{ReadOnly: true})
	require.NoError(t, err)
	var out bytes.Buffer
	_, err = x.Export(ctx, &out, ada)
	require.ErrorIs(t, err, transfer.ErrErasing)
	_, err = x.ExportStream(ctx, &out, ada)
	require.ErrorIs(t, err, transfer.ErrErasing)
	require.Zero(t, out.Len())
	require.NoError(t, x.Close(ctx))
	healthy, checks := Examine(t, path)
	require.True(t, healthy, checks)

	x, err = Open(ctx, path, &Config{NoBackground: true})
	require.NoError(t, err)
	export := exported(t, x, ada)
	require.Contains(t, export, "Oslo")
	require.Contains(t, export, "liquorice")
	require.NotContains(t, strings.ToLower(export), "xylophone")
	other, err := Open(ctx, filepath.Join(t.TempDir(), "other.db"), &Config{NoBackground: true})
	require.NoError(t, err)
	restored(t, other, export)
	require.NoError(t, other.Close(ctx))
	require.NoError(t, x.Close(ctx))
	healthy, checks = Examine(t, path)
	require.True(t, healthy, checks)
}
