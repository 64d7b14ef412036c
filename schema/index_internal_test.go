package schema

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

// segments are the parts of the full-text index: each time FTS5 writes out what
// it has gathered makes one.
func segments(t *testing.T, db *DB) (n int) {
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		return s.Row(ctx, "SELECT count(DISTINCT segid) FROM chunks_fts_idx", nil, &n)
	}))
	return n
}

func remember(ctx context.Context, tx *Tx, user, content string) (*Memory, error) {
	id, err := tx.UserID(ctx, Scope{User: user})
	if err != nil {
		return nil, err
	}
	m := &Memory{UserID: id, Kind: KindEpisode, Content: content, Confidence: 1, Origin: OriginUser, Trust: MaxTrust}
	return m, tx.InsertMemory(ctx, m, PrepareChunks(content, ""))
}

func TestCommitOfManyUsersMakesOneSegment(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	const users = 8
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		for i := range 4 * users {
			if _, err := remember(ctx, tx, fmt.Sprint("user", i%users), fmt.Sprint("the begonia needs water ", i)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.Equal(t, 1, segments(t, db))
	found := 0
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		for i := range users {
			id, err := s.UserID(ctx, Scope{User: fmt.Sprint("user", i)})
			require.NoError(t, err)
			first, last := ChunkRange(id)
			var matches int
			require.NoError(t, s.Row(ctx, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'begonia' AND rowid BETWEEN ? AND ?", []any{first, last}, &matches))
			found += matches
		}
		return nil
	}))
	require.Equal(t, 4*users, found)
}

func TestInsertAndDeleteInOneWrite(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		m, err := remember(ctx, tx, "ada", "the begonia needs water")
		if err != nil {
			return err
		}
		return tx.RemoveChunks(ctx, m.UserID, m.ID)
	}))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		var matches int
		err := s.Row(ctx, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'begonia'", nil, &matches)
		require.Zero(t, matches)
		return err
	}))
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		return err
	}))
}

// What a write left that was undone must not be indexed with the next.
func TestFailedWriteLeavesNoIndexWork(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.ErrorIs(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := remember(ctx, tx, "ada", "the begonia needs water")
		require.NoError(t, err)
		return ErrConflict
	}), ErrConflict)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := remember(ctx, tx, "ada", "the cat needs food")
		return err
	}))
	require.Equal(t, 1, segments(t, db))
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		return err
	}))
}
