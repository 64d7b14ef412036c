package vecstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebbmem/ebb/internal/sqlite"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// The gaps between the chunks that have vectors are those that looking each up
// finds, whatever is missing.
func TestPendingChunks(t *testing.T) {
	db := memtest.Open(t)
	random := rand.New(rand.NewPCG(1, 2))
	var users []int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		var generations [2]int64
		for i := range generations {
			g, err := OpenGeneration(ctx, tx, fmt.Sprint("m", i), 2)
			require.NoError(t, err)
			generations[i] = g.ID
		}
		for i := range 120 {
			user, err := tx.UserID(ctx, schema.Scope{User: fmt.Sprint("user", random.IntN(2))})
			require.NoError(t, err)
			if !slices.Contains(users, user) {
				users = append(users, user)
			}
			m := &schema.Memory{UserID: user, Kind: schema.KindEpisode, Content: fmt.Sprint("begonia ", i), Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
			require.NoError(t, tx.InsertMemory(ctx, m, slices.Repeat([]schema.Chunk{{Text: fmt.Sprint("text ", i)}}, 1+random.IntN(3))))
		}
		for _, user := range users {
			for _, g := range generations {
				rows, err := tx.Query(ctx, "SELECT id, memory_id FROM chunks WHERE id >> 32 = ?", user)
				require.NoError(t, err)
				var some []ChunkVector
				for rows.Next() {
					v := ChunkVector{Vector: Vector{1, 0}}
					require.NoError(t, rows.Scan(&v.ChunkID, &v.MemoryID))
					if random.IntN(4) > 0 {
						some = append(some, v)
					}
				}
				require.NoError(t, rows.Err())
				_, err = InsertVectors(ctx, tx, g, some)
				require.NoError(t, err)
			}
		}
		_, err := tx.Exec(ctx, "DELETE FROM chunks WHERE id % 11 = 5") // and their vectors
		return err
	}))
	for _, user := range users {
		first, last := schema.ChunkRange(user)
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			ids := func(query string, args ...any) (all [][3]int64) {
				rows, err := s.Query(ctx, query, args...)
				require.NoError(t, err)
				defer rows.Close()
				for rows.Next() {
					var ids [3]int64
					require.NoError(t, rows.Scan(&ids[0], &ids[1], &ids[2]))
					all = append(all, ids)
				}
				require.NoError(t, rows.Err())
				return all
			}
			for g := range int64(4) { // 0 and 3 have no vectors
				for after := first - 1; after < first+130; after += 9 {
					for _, limit := range []int{0, 1, 5, 1000} {
						want := ids(`SELECT c.id, c.memory_id, c.id >> 32 FROM chunks c WHERE c.id > ? AND c.id BETWEEN ? AND ?
							AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id AND v.generation = ?) ORDER BY c.id LIMIT ?`, after, first, last, g, limit)
						pending, err := PendingChunks(ctx, s, user, g, after, limit)
						require.NoError(t, err)
						var got [][3]int64
						for _, p := range pending {
							got = append(got, [3]int64{p.ID, p.MemoryID, p.UserID})
						}
						require.Equal(t, want, got)
					}
				}
				var memories []int64
				for _, m := range ids("SELECT id, 0, 0 FROM memories WHERE user_id = ? AND id % 3 > 0", user) {
					memories = append(memories, m[0])
				}
				want := ids("SELECT count(*), 0, 0 FROM vectors v JOIN chunks c ON c.id = v.chunk_id WHERE v.user_id = ? AND v.generation = ? AND c.memory_id % 3 > 0", user, g)
				n := int64(0)
				require.NoError(t, VectorsOf(ctx, s, g, memories, func(id int64, v Vector) error {
					n++
					require.Contains(t, memories, id)
					require.Equal(t, Vector{1, 0}, v)
					return nil
				}))
				require.Equal(t, want[0][0], n)
			}
			return nil
		}))
	}
}

// What is asked after every message must not grow with the user's memory.
func TestEmbeddedChunksUseIndex(t *testing.T) {
	pgtest.FileOnly(t, "query plans of SQLite")
	db := memtest.Open(t)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var id, parent, unused int
		var detail string
		require.NoError(t, s.QueryRowContext(ctx, "EXPLAIN QUERY PLAN "+embeddedChunks, 1, 2, 3).Scan(&id, &parent, &unused, &detail))
		require.Equal(t, "SEARCH vectors USING COVERING INDEX sqlite_autoindex_vectors_1 (chunk_id>? AND chunk_id<?)", detail)
		return nil
	}))
}

// A generation whose row is damaged is an error, not a searcher without vectors.
func TestDamagedGeneration(t *testing.T) {
	db := memtest.Open(t)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := OpenGeneration(ctx, tx, "model", 3)
		return err
	}))
	pgtest.FileOnly(t, "damages a row of a file")
	other, err := sqlite.OpenSQLite("file:"+db.Path()+"?mode=rw", false, fts5.Register)
	require.NoError(t, err)
	_, err = other.ExecContext(t.Context(), "PRAGMA ignore_check_constraints = on; UPDATE embedding_generations SET dims = -1")
	require.NoError(t, err)
	require.NoError(t, other.Close())
	err = db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		_, err := ServingGeneration(ctx, s)
		return err
	})
	require.ErrorIs(t, err, schema.ErrCorrupt)
}
