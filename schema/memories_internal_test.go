package schema

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

// The columns that prepared statements name are those that the query builder reads.
func TestMemoriesAreReadAlikeInEveryWay(t *testing.T) {
	pgtest.FileOnly(t, "columns of any type")
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
		require.NoError(t, err)
		for i := range want {
			got, err := s.Memory(ctx, 1, want[i].UID)
			require.NoError(t, err)
			require.Equal(t, &want[i], got)
		}
		return nil
	}))

	// What is being erased is read by none of them.
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO erasures (id, uid, user_id, everything, state, actor, asked_at, receipt) VALUES (1, 'e', 1, 0, 'erasing', 'host', 0, '{}');
			INSERT INTO erasing VALUES ('memories', 10, 1)`)
		return err
	}))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		listed, err := s.EpisodesAfter(ctx, 1, 0, 10)
		require.NoError(t, err)
		require.Empty(t, listed)
		found, err := s.MemoriesByID(ctx, 1, []int64{10})
		require.NoError(t, err)
		require.Empty(t, found)
		_, err = s.Memory(ctx, 1, "bare")
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	}))
}

// A column of another kind than it should be is not taken for a zero.
func TestMemoriesByIDNamesDamagedColumn(t *testing.T) {
	pgtest.FileOnly(t, "columns of any type")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	read := func() (got []Memory, err error) {
		err = db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			got, err = s.MemoriesByID(ctx, 1, []int64{10, 11})
			return err
		})
		return got, err
	}
	write := func(statement string) {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		}))
	}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.UserID(ctx, Scope{User: "ada"})
		return err
	}))
	for _, id := range []string{"10", "11"} {
		write(`INSERT INTO memories (id, uid, user_id, kind, content, content_hash, event_time, created_at, valid_from, confidence, importance, decay_rate, origin, trust)
			VALUES (` + id + `, 'm` + id + `', 1, 'episode', 'a', 'h', 11, 12, 13, .1, .2, .3, '', 0)`)
	}
	for column, set := range map[string]string{"event_time": "'tuesday'", "confidence": "'sure'", "content": "x''", "valid_until": "'never'", "trust": "'high'", "tags": "'[secret'"} {
		before, err := read()
		require.NoError(t, err)
		require.Len(t, before, 2)
		write("CREATE TEMP TABLE kept AS SELECT " + column + " AS was FROM memories WHERE id = 11")
		write("PRAGMA ignore_check_constraints = on; UPDATE memories SET " + column + " = " + set + " WHERE id = 11")
		_, err = read()
		if column == "content" { // bytes are a text like any
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrCorrupt)
			require.ErrorContains(t, err, column)
			require.NotContains(t, err.Error(), "secret")
		}
		write("UPDATE memories SET " + column + " = (SELECT was FROM temp.kept) WHERE id = 11; DROP TABLE temp.kept; PRAGMA ignore_check_constraints = off")
	}
}
