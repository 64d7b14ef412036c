package schema

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ebbmem/ebb/internal/sqlite"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
)

// Reading chunks and memories side by side finds what joining them does, wherever
// the next chunk's memory is, or if it is gone.
func TestChunksAreReadWithTheirMemories(t *testing.T) {
	pgtest.FileOnly(t, "rows as another program leaves them")
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var users, memories []int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		for i, user := range []int{0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0} {
			id, err := tx.UserID(ctx, Scope{User: fmt.Sprint("user", user)})
			require.NoError(t, err)
			m := &Memory{
				UserID: id, Kind: []Kind{KindEpisode, KindFact}[i/2%2], State: []State{StateActive, StateDormant}[i/3%2], Role: []string{"", "user"}[i/4%2],
				Content: fmt.Sprint("begonia ", i), EventTime: Time{db.Now()}, Confidence: 1, Origin: OriginUser, Trust: MaxTrust,
				Attributes: []Attributes{nil, {AttrIssues: fmt.Sprint("A-", i/2, ",B-1")}}[i%2],
			}
			pieces := slices.Repeat([]Chunk{{fmt.Sprint("text ", i), fmt.Sprint("speaker ", i/2)}}, 1+i%3)
			require.NoError(t, tx.InsertMemory(ctx, m, pieces))
			users, memories = append(users, id), append(memories, m.ID)
		}
		return tx.insertChunks(ctx, []NewMemory{{&Memory{ID: memories[1], UserID: users[0]}, []Chunk{{"late", ""}}}}) // of an older memory
	}))
	other, err := sqlite.OpenSQLite("file:"+db.Path()+"?mode=rw&_pragma=busy_timeout(5000)", false, fts5.Register)
	require.NoError(t, err)
	other.SetMaxOpenConns(1)
	for _, damage := range []string{"PRAGMA foreign_keys = off", fmt.Sprintf("DELETE FROM memories WHERE id IN (%d, %d)", memories[2], memories[6])} {
		_, err := other.ExecContext(t.Context(), damage)
		require.NoError(t, err)
	}
	require.NoError(t, other.Close())
	for _, user := range []int64{users[0], users[3]} {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
			first, last := ChunkRange(user)
			var want []IndexedChunk
			rows, err := s.Query(ctx, `SELECT c.id, c.memory_id, c.text, m.content, c.speaker, coalesce(m.session_id, 0), m.event_time, m.kind, m.state, m.role, m.attributes
				FROM chunks c JOIN memories m ON m.id = c.memory_id WHERE c.id BETWEEN ? AND ? ORDER BY c.id`, first, last)
			require.NoError(t, err)
			defer rows.Close()
			for rows.Next() {
				var c IndexedChunk
				var attributes []byte
				require.NoError(t, rows.Scan(&c.ID, &c.MemoryID, &c.Text, &c.Content, &c.Speaker, &c.SessionID, &c.EventTime, &c.Kind, &c.State, &c.Role, &attributes))
				c.Issue = firstIssue(attributes)
				want = append(want, c)
			}
			require.NoError(t, rows.Err())
			require.Greater(t, len(want), 5)
			for from := range want {
				var got []IndexedChunk
				require.NoError(t, s.ChunksAfter(ctx, user, want[from].ID-1, func(c IndexedChunk) {
					c.Text, c.Content = slices.Clone(c.Text), slices.Clone(c.Content)
					got = append(got, c)
				}))
				require.Equal(t, want[from:], got)
			}
			return nil
		}))
	}
}

// A chunk that damage has filed under memory 0 is one without a memory, also
// when it is the first that is read; a state that there is none of is an error.
func TestChunksOfDamagedRows(t *testing.T) {
	pgtest.FileOnly(t, "rows as another program leaves them")
	for damage, want := range map[string]error{
		"UPDATE chunks SET memory_id = 0":        nil,
		"UPDATE memories SET state = 'activf'":   ErrCorrupt,
		"UPDATE memories SET kind = ''":          ErrCorrupt,
		"UPDATE users SET chunk_floor = 7 << 32": nil, // of another user's range
		"UPDATE chunks SET memory_id = -1 << 63": nil,
		"UPDATE chunks SET id = id + 4000000000": nil,
	} {
		t.Run(damage, func(t *testing.T) {
			db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			var user int64
			store := func(ctx context.Context, tx *Tx) (err error) {
				if user, err = tx.UserID(ctx, Scope{User: "ada"}); err != nil {
					return err
				}
				return tx.InsertMemory(ctx, &Memory{UserID: user, Kind: KindEpisode, Content: "begonia", Confidence: 1, Origin: OriginUser, Trust: MaxTrust}, []Chunk{{"begonia", ""}})
			}
			require.NoError(t, db.Write(t.Context(), store))
			other, err := sqlite.OpenSQLite("file:"+db.Path()+"?mode=rw&_pragma=busy_timeout(5000)", false, fts5.Register)
			require.NoError(t, err)
			_, err = other.ExecContext(t.Context(), "PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on; "+damage)
			require.NoError(t, err)
			require.NoError(t, other.Close())
			err = db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
				return s.ChunksAfter(ctx, user, 0, func(c IndexedChunk) { require.Contains(t, Kinds, c.Kind) })
			})
			require.ErrorIs(t, err, want)
			if want == nil {
				require.NoError(t, db.Write(t.Context(), store))
				require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
					first, last := ChunkRange(user)
					var elsewhere int
					require.NoError(t, s.Row(ctx, "SELECT count(*) FROM chunks WHERE id NOT BETWEEN ? AND ?", []any{first, last}, &elsewhere))
					require.Zero(t, elsewhere)
					return nil
				}))
			}
		})
	}
}
