package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/pgtest"
)

func openForRows(t *testing.T) *DB {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// However many are written at once, and whichever of them were there before, they
// are the rows that one after another would be.
func TestMultiRowInsert(t *testing.T) {
	db := openForRows(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		owner := Scope{User: fmt.Sprint("user", round)}
		known := make(map[string]int64) // the rows by their ids
		erased := fmt.Sprint(rapid.IntRange(1, 200).Draw(rt, "erased"))
		require.NoError(rt, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			user, err := tx.UserID(ctx, owner)
			if err != nil {
				return err
			}
			_, err = tx.AddTombstone(ctx, user, Tombstone(owner, TombstoneEvent, erased), At(tx.Now))
			return err
		}))
		for range rapid.IntRange(1, 3).Draw(rt, "calls") {
			ids := make([]int, rapid.IntRange(0, 70).Draw(rt, "events"))
			first := rapid.IntRange(1, 150).Draw(rt, "first")
			for i := range ids {
				ids[i] = first + i
			}
			for range rapid.IntRange(0, min(3, len(ids))).Draw(rt, "others") {
				ids[rapid.IntRange(0, len(ids)-1).Draw(rt, "at")] = rapid.IntRange(0, 200).Draw(rt, "id")
			}
			events := make([]*NewEvent, len(ids))
			require.NoError(rt, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
				user, err := tx.UserID(ctx, owner)
				if err != nil {
					return err
				}
				for i, id := range ids {
					events[i] = &NewEvent{Owner: owner, Row: &EventRow{
						UserID: user, Topic: fmt.Sprint("x.", i%2), Agent: fmt.Sprint(i % 5), Session: fmt.Sprint(i % 3), Origin: OriginUser,
						Trust: Trust(i % 4), Payload: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), OccurredAt: Time{time.UnixMilli(int64(1000 + i)).UTC()},
					}}
					if id > 0 { // else it has none, as a report
						events[i].Row.ID = fmt.Sprint(id)
					}
				}
				return tx.AppendEvents(ctx, events...)
			}))
			last := int64(0)
			for _, e := range events {
				if e.Row.ID == erased {
					require.Equal(rt, EventErased, e.Appended)
					require.Zero(rt, e.Row.Seq)
					continue
				}
				first, again := known[e.Row.ID]
				if again {
					require.Equal(rt, EventDuplicate, e.Appended)
					require.Equal(rt, first, e.Row.Seq)
					continue
				}
				require.Equal(rt, EventStored, e.Appended)
				require.Greater(rt, e.Row.Seq, last, "in order")
				last = e.Row.Seq
				if e.Row.ID != "" {
					known[e.Row.ID] = e.Row.Seq
				}
				var row EventRow
				require.NoError(rt, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
					return s.NewSelect().Model(&row).Where("seq = ?", e.Row.Seq).Scan(ctx)
				}))
				require.Equal(rt, *e.Row, row)
			}
		}
	})
}

func TestMemoriesStoredTogetherAreThoseStoredOneByOne(t *testing.T) {
	db := openForRows(t)
	const n = 3*RowsAtOnce + 5
	var together, apart []*Memory
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		var memories []NewMemory
		for i := range n {
			for who, list := range map[string]*[]*Memory{"together": &together, "apart": &apart} {
				user, err := tx.UserID(ctx, Scope{User: fmt.Sprint(who, i%2)})
				if err != nil {
					return err
				}
				m := &Memory{UserID: user, Kind: KindEpisode, Role: []string{"user", "assistant"}[i%2], Content: fmt.Sprint("word", i, strings.Repeat(" and so on", 200*(i%2))),
					Confidence: 1, Origin: OriginUser, Trust: 4, Attributes: Attributes{"n": fmt.Sprint(i)}}
				*list = append(*list, m)
				chunks := PrepareChunks(m.Content, "")
				if who == "together" {
					memories = append(memories, NewMemory{m, chunks})
				} else if err := tx.InsertMemory(ctx, m, chunks); err != nil {
					return err
				}
			}
		}
		return tx.InsertMemories(ctx, memories...)
	}))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *Snapshot) error {
		for i := range n {
			texts := make([][]string, 2)
			for j, stored := range []*Memory{together[i], apart[i]} {
				read, err := s.Memory(ctx, stored.UserID, stored.UID)
				require.NoError(t, err)
				require.Equal(t, stored.ID, read.ID)
				require.Equal(t, []any{stored.Content, stored.Role, stored.Attributes}, []any{read.Content, read.Role, read.Attributes})
				require.NoError(t, s.ChunksAfter(ctx, stored.UserID, 0, func(c IndexedChunk) {
					if c.MemoryID == stored.ID {
						texts[j] = append(texts[j], string(c.Text))
					}
				}))
			}
			require.NotEmpty(t, texts[0])
			require.Equal(t, texts[1], texts[0])
			if !db.Capabilities().TextIndex {
				continue
			}
			var found string
			require.NoError(t, s.Row(ctx, `SELECT group_concat(memory_id) FROM (SELECT DISTINCT c.memory_id FROM chunks_fts AS f
				JOIN chunks AS c ON c.id = f.rowid WHERE chunks_fts MATCH ?)`, []any{fmt.Sprint("word", i)}, &found))
			require.ElementsMatch(t, []string{fmt.Sprint(together[i].ID), fmt.Sprint(apart[i].ID)}, strings.Split(found, ","))
		}
		return nil
	}))
}

// The numbers of memories ascend within a write, whether it knows the scope of their user
// from the start, from the second on or not at all.
func TestMemoriesOfOneWriteStayInOrder(t *testing.T) {
	db := openForRows(t)
	var user int64
	store := func(ctx context.Context, tx *Tx) (int64, error) {
		m := &Memory{UserID: user, Kind: KindFact, Content: "a fact", Confidence: 1, Origin: OriginUser, Trust: 4}
		err := tx.InsertMemory(ctx, m, PrepareChunks(m.Content, ""))
		return m.ID, err
	}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
		user, err = tx.UserID(ctx, Scope{User: "ada"})
		return err
	}))
	for entered := range 4 {
		var ids []int64
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			ids = nil
			for i := range 3 {
				if i == entered {
					if _, err := tx.UserID(ctx, Scope{User: "ada"}); err != nil {
						return err
					}
				}
				id, err := store(ctx, tx)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		}))
		require.True(t, slices.IsSorted(ids), "%d: %v", entered, ids)
	}
}

// A row that cannot be stored leaves none of its statement, also where the write
// goes on.
func TestInsertManyWithOneInvalid(t *testing.T) {
	pgtest.FileOnly(t, "a write that goes on after an error")
	db := openForRows(t)
	var refused error
	stored := -1
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		user, err := tx.UserID(ctx, Scope{User: "ada"})
		if err != nil {
			return err
		}
		var memories []NewMemory
		for i := range RowsAtOnce {
			m := &Memory{UserID: user, UID: fmt.Sprint("uid", i%(RowsAtOnce-1)), Kind: KindEpisode, Content: "x", Confidence: 1, Origin: OriginUser}
			memories = append(memories, NewMemory{m, nil})
		}
		refused = tx.InsertMemories(ctx, memories...)
		return tx.Row(ctx, "SELECT count(*) FROM memories", nil, &stored)
	}))
	require.ErrorContains(t, refused, "memories.uid")
	require.Zero(t, stored)
}

// What several rows are given at once is bounded.
func TestLongRowsAreStoredOneByOne(t *testing.T) {
	into := newInsertion("t", "a", "b")
	row := []any{int64(1), strings.Repeat("x", maxTogether/RowsAtOnce)}
	require.True(t, into.fit(slices.Repeat(row, RowsAtOnce)))
	require.False(t, into.fit(slices.Repeat(row, RowsAtOnce)[1:]), "too few")
	require.False(t, into.fit(append([]any{int64(1), row[1].(string) + "x"}, slices.Repeat(row, RowsAtOnce)...)))

	db := openForRows(t)
	var stored []int
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		user, err := tx.UserID(ctx, Scope{User: "ada"})
		if err != nil {
			return err
		}
		var memories []NewMemory
		for i := range RowsAtOnce + 1 {
			m := &Memory{UserID: user, Kind: KindEpisode, Content: strings.Repeat("x", maxTogether/RowsAtOnce+i), Confidence: 1, Origin: OriginUser}
			memories = append(memories, NewMemory{m, nil})
		}
		if err := tx.InsertMemories(ctx, memories...); err != nil {
			return err
		}
		return tx.NewRaw("SELECT length(content) - ? FROM memories ORDER BY id", maxTogether/RowsAtOnce).Scan(ctx, &stored)
	}))
	for i := range RowsAtOnce + 1 {
		require.Equal(t, i, stored[i])
	}
}
