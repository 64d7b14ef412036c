package schema

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The columns that MemoriesByID names are those that the query builder reads.
func TestMemoriesByIDReadsEveryColumn(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		if _, err := tx.UserID(ctx, Scope{User: "ada"}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = on;
			INSERT INTO sessions (id, user_id, name, created_at) VALUES (2, 1, 'monday', 3);
			INSERT INTO events (seq, id, user_id, topic, origin, trust, payload, occurred_at, recorded_at) VALUES (4, 'e4', 1, 'user.message', 'user', 4, '{}', 5, 6);
			INSERT INTO runs (id, uid, user_id, cause, state, started_at) VALUES (7, 'r7', 1, 'night', 'done', 6);
			INSERT INTO memories (id, uid, user_id, kind, content, content_hash, event_time, created_at, valid_from, confidence, importance, decay_rate, origin, trust)
				VALUES (10, 'bare', 1, 'episode', 'a', 'h', 11, 12, 13, .1, .2, .3, '', 0);
			INSERT INTO memories VALUES (20, 'full', 1, 2, 4, 'qa', 'fact', 'user', 'Ada', 'b', 'i', 21, 22, 23, 24, 25, 10, .26, .27, 28, 29, .31, 32, .33, 1, 1,
				'dormant', 'user', 3, 'ada', 'owns', 'a kettle', '["blue"]', '{"type":"note"}', 7, 34)`)
		return err
	}))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		var want []Memory
		require.NoError(t, selectMemories(s, &want).Order("m.id").Scan(ctx))
		require.Len(t, want, 2)
		got, err := s.MemoriesByID(ctx, 1, []int64{10, 20, 30})
		require.Equal(t, want, got)
		return err
	}))
}
