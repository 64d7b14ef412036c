package schema_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// BenchmarkInsertMemory stores episodes with their search text: one a
// transaction, which ends with a sync of the disk, and a hundred.
func BenchmarkInsertMemory(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("transaction=%d", n), func(b *testing.B) {
			db := open(b)
			i := 0
			for b.Loop() {
				require.NoError(b, insertTurns(b.Context(), db, i, n))
				i += n
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(i), "µs/memory")
		})
	}
}

// BenchmarkMemoriesByID reads ten memories of many, as a search does for its
// answer.
func BenchmarkMemoriesByID(b *testing.B) {
	const stored, read = 10_000, 10
	db := open(b)
	require.NoError(b, insertTurns(b.Context(), db, 0, stored))
	ids := make([]int64, read)
	i := 0
	for b.Loop() {
		for at := range ids {
			ids[at] = int64(1 + (i+at*997)%stored)
		}
		i++
		err := db.Read(b.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			user, err := s.UserID(ctx, ada)
			if err != nil {
				return err
			}
			found, err := s.MemoriesByID(ctx, user, ids)
			require.Len(b, found, read)
			return err
		})
		require.NoError(b, err)
	}
}

// BenchmarkSupersede replaces a fact by the next one: two rows, the link
// between them and the audit, in one transaction.
func BenchmarkSupersede(b *testing.B) {
	db := open(b)
	var old *schema.Memory
	i := 0
	for b.Loop() {
		i++
		next := &schema.Memory{Kind: schema.KindFact, Content: fmt.Sprintf("Ada lives at number %d.", i),
			Confidence: 1, DecayRate: schema.DefaultDecayRate, Origin: schema.OriginUser, Trust: schema.MaxTrust}
		chunks := schema.PrepareChunks(next.Content, "")
		err := db.Write(b.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
			if next.UserID, err = tx.UserID(ctx, ada); err != nil {
				return err
			}
			if err := tx.InsertMemory(ctx, next, chunks); err != nil || old == nil {
				return err
			}
			return tx.Supersede(ctx, old, next, schema.Actor{Name: "bench"})
		})
		require.NoError(b, err)
		old = next
	}
}

func insertTurns(ctx context.Context, db *schema.DB, from, n int) error {
	memories := make([]*schema.Memory, n)
	chunks := make([][]schema.Chunk, n)
	for i := range n {
		content := fmt.Sprintf("Message %d: I met Viktor near the old harbour and we talked about project Lighthouse until half past nine.", from+i)
		memories[i] = &schema.Memory{Kind: schema.KindEpisode, Speaker: "Ada", Content: content, Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
		chunks[i] = schema.PrepareChunks(content, "Ada")
	}
	return db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, ada)
		if err != nil {
			return err
		}
		session, err := tx.SessionID(ctx, user, ada.Session)
		if err != nil {
			return err
		}
		for i, m := range memories {
			m.ID, m.UserID, m.SessionID = 0, user, session
			if err := tx.InsertMemory(ctx, m, chunks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkCreate makes a new file and closes it.
func BenchmarkCreate(b *testing.B) {
	dir := b.TempDir()
	i := 0
	for b.Loop() {
		i++
		db, err := schema.Open(b.Context(), filepath.Join(dir, fmt.Sprintf("%d.db", i)), nil)
		require.NoError(b, err)
		require.NoError(b, db.Close())
	}
}

// BenchmarkOpen opens a file that was closed, reads from it and closes it.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "memory.db")
	for b.Loop() {
		db, err := schema.Open(b.Context(), path, nil)
		require.NoError(b, err)
		require.NoError(b, db.Read(b.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			_, err := s.Users(ctx)
			return err
		}))
		require.NoError(b, db.Close())
	}
}
