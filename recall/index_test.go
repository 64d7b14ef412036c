package recall

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/recall/background"
	"github.com/ebbmem/ebb/schema"
)

// readIndex builds a user's index from what is stored.
func readIndex(t failer, db *schema.DB, scope schema.Scope) *index {
	t.Helper()
	var built *index
	snapshot(t, db, scope, func(ctx context.Context, s *schema.Snapshot, user int64) {
		shared, err := newIndexes(db, background.New()).current(ctx, s, user, true)
		require.NoError(t, err)
		built = shared.index
		shared.mu.RUnlock()
	})
	return built
}

// Whatever is written between two searches (turns out of order, changes of
// state, more chunks of older memories, facts and what they rest on), the index that follows along equals one that
// is built from the end result.
func TestIndexInStepsEqualsIndexAtOnce(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	db, n := open(t), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ada := schema.Scope{User: fmt.Sprint("ada", n)}
		say(t, db, ada, turn{text: "the first word"})
		following := newIndexes(db, background.New())
		if rapid.Bool().Draw(t, "large") { // for a search to read at once
			following.inline, following.first = 3, 2
		}
		var ids []int64
		var facts []*schema.Memory
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 4:
				if len(ids) > 0 {
					of := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, 3, rapid.ID).Draw(t, "sources")
					facts = append(facts, claim(t, db, ada, someQuestion.Draw(t, "fact"), schema.MaxTrust, of...))
				}
			case 5:
				if len(facts) > 0 {
					more := &schema.Memory{ID: rapid.SampledFrom(ids).Draw(t, "more"), UID: "any"}
					write(t, db, rapid.SampledFrom(facts).Draw(t, "backed"), func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
						_, err := tx.Reinforce(ctx, m, more, "", 1, night)
						return err
					})
				}
			case 6:
				if len(facts) > 0 {
					at := rapid.IntRange(0, len(facts)-1).Draw(t, "retired")
					write(t, db, facts[at], retire)
					facts = slices.Delete(facts, at, at+1)
				}
			case 0:
				say(t, db, schema.Scope{User: "bob"}, someTurn.Draw(t, "bob's"))
			case 1:
				if len(ids) > 0 {
					changeState(t, db, rapid.SampledFrom(ids).Draw(t, "changed"), rapid.SampledFrom([]schema.State{schema.StateDormant, schema.StateActive}).Draw(t, "state"))
				}
			case 2:
				if len(ids) > 0 {
					addKey(t, db, rapid.SampledFrom(ids).Draw(t, "keyed"), someQuestion.Draw(t, "key"))
				}
			default:
				ids = append(ids, say(t, db, ada, someTurn.Draw(t, "turn"))...)
			}
			snapshot(t, db, ada, func(ctx context.Context, s *schema.Snapshot, user int64) {
				ix, err := following.current(ctx, s, user, false)
				require.NoError(t, err)
				ix.mu.RUnlock()
			})
		}
		var user int64
		snapshot(t, db, ada, func(_ context.Context, _ *schema.Snapshot, id int64) { user = id })
		following.background.Wait()
		snapshot(t, db, ada, func(ctx context.Context, s *schema.Snapshot, user int64) {
			ix, err := following.current(ctx, s, user, true)
			require.NoError(t, err)
			ix.mu.RUnlock()
		})
		require.Equal(t, readIndex(t, db, ada), following.get(user).index)
	})
}

// The first search of a large memory answers from the newest, and says so; what
// waits, and what comes after, looks through all.
func TestALargeMemoryAnswersAtOnce(t *testing.T) {
	db := open(t)
	var turns []turn
	for i := range 30 {
		turns = append(turns, turn{session: "one", text: fmt.Sprintf("The cello, day %d.", i), minutes: i})
	}
	ids := say(t, db, ada, turns...)
	first := func() *Searcher {
		s := New(db, Options{})
		s.indexes.inline, s.indexes.first = 10, 5
		t.Cleanup(s.Close)
		return s
	}
	s := first()
	reading := s.indexes.get(1).reading
	reading <- struct{}{} // as if the disk were slow
	some := search(t, s, Query{Text: "cello", Limit: 100})
	require.Len(t, some.Results, 5)
	require.Equal(t, []Degraded{{"text", "only the newest 5 memories were searched: the others are still being read"}}, some.Degraded)
	say(t, db, ada, turn{session: "one", text: "No cello today.", minutes: 40})
	require.Contains(t, texts(search(t, s, Query{Text: "cello", Limit: 100})), "No cello today.", "what comes meanwhile is found")
	changeState(t, db, ids[0], schema.StateDormant)
	impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := s.Search(impatient, ada, Query{Text: "cello", Now: noon, Wait: true})
	require.ErrorIs(t, err, context.DeadlineExceeded, "who waits does so no longer than its context")
	<-reading
	s.background.Wait()
	all := search(t, s, Query{Text: "cello", Limit: 100})
	require.Len(t, all.Results, 30)
	require.Empty(t, all.Degraded)
	require.Equal(t, all, search(t, first(), Query{Text: "cello", Limit: 100, Wait: true}))

	closed := first()
	closed.Close()
	require.Empty(t, search(t, closed, Query{Text: "cello"}).Degraded, "without a background there is nothing to wait for")
	why, err := first().Why(t.Context(), ada, Query{Text: "cello"}, all.Results[0].Memory.UID)
	require.NoError(t, err)
	require.Empty(t, why.Degraded)
}

func changeState(t failer, db *schema.DB, id int64, state schema.State) {
	t.Helper()
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		var uid string
		var user int64
		if err := tx.Row(ctx, "SELECT uid, user_id FROM memories WHERE id = ?", []any{id}, &uid, &user); err != nil {
			return err
		}
		m, err := tx.Memory(ctx, user, uid)
		if err != nil {
			return err
		}
		return tx.SetState(ctx, m, state, host)
	}))
}

// addKey gives a memory one more chunk to be found by.
func addKey(t failer, db *schema.DB, id int64, words string) {
	t.Helper()
	c := schema.PrepareChunks(words, "")[0]
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		var chunk int64
		if err := tx.Row(ctx, `INSERT INTO chunks (id, memory_id, text, speaker)
			SELECT 1 + max(c.id), ?, ?, '' FROM chunks c WHERE c.id >> 32 = (SELECT user_id FROM memories WHERE id = ?) RETURNING id`,
			[]any{id, c.Text, id}, &chunk); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO chunks_fts (rowid, text, speaker) VALUES (?, ?, '')", chunk, c.Text)
		return err
	}))
}

// Every term leads to the same memories in memory and in the durable index.
func TestIndexAgreesWithFullText(t *testing.T) {
	pgtest.FileOnly(t, "its text index")
	db, n := open(t), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ada := schema.Scope{User: fmt.Sprint("ada", n)}
		said := rapid.SliceOfN(someTurn, 1, 15).Draw(t, "turns")
		for i := range said {
			said[i].speaker = "" // FTS5 finds a speaker's turns by the name too
		}
		say(t, db, ada, said...)
		say(t, db, schema.Scope{User: "bob"}, rapid.SliceOfN(someTurn, 0, 5).Draw(t, "bob's")...)
		ix := readIndex(t, db, ada)
		snapshot(t, db, ada, func(ctx context.Context, s *schema.Snapshot, user int64) {
			for term, id := range ix.terms {
				var here []int64
				for at := range ix.postings[id].All() {
					here = append(here, ix.memories.At(int(ix.chunks.Doc(at))))
				}
				first, last := schema.ChunkRange(user)
				there, err := schema.Column[int64](ctx, s.Query, `SELECT DISTINCT c.memory_id FROM chunks_fts f JOIN chunks c ON c.id = f.rowid
					WHERE chunks_fts MATCH ? AND f.rowid BETWEEN ? AND ? ORDER BY c.memory_id`, `"`+term+`"`, first, last)
				require.NoError(t, err)
				require.Equal(t, slices.Compact(here), there, term)
			}
		})
	})
}

func TestChainOrdersASessionInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 30).Draw(t, "times")
		ix := newIndex()
		for i, at := range times {
			ix.add(schema.IndexedChunk{ID: int64(i + 1), MemoryID: int64(i + 1), Text: []byte("word"), SessionID: 7, EventTime: at, Kind: schema.KindEpisode, State: schema.StateActive}, 0)
		}
		want := make([]int32, len(times))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return int(times[a] - times[b]) })
		var forwards, backwards []int32
		for at := ix.lastInThread[1]; at >= 0; at = ix.docs[at].prev {
			backwards = append(backwards, at)
		}
		for at := want[0]; at >= 0; at = ix.docs[at].next {
			forwards = append(forwards, at)
		}
		slices.Reverse(backwards)
		require.Equal(t, want, backwards)
		require.Equal(t, want, forwards)
	})
}

func TestAddressed(t *testing.T) {
	db := open(t)
	say(t, db, ada,
		turn{session: "one", speaker: "mx_77", text: "Morning! Slept badly again.", minutes: 0},
		turn{session: "one", speaker: "Ada", text: "Oh no, Katya. Tea?", minutes: 1},
		turn{session: "one", speaker: "mx_77", text: "Yes please.", minutes: 2},
		turn{session: "one", speaker: "Ada", text: "Here you go, Katya.", minutes: 3},
		turn{session: "one", speaker: "mx_77", text: "Lovely.", minutes: 4},
		turn{session: "one", speaker: "Ada", text: "Katya, did you call the plumber?", minutes: 5},
		turn{session: "one", speaker: "mx_77", text: "Tomorrow.", minutes: 6},
	)
	ix := readIndex(t, db, ada)
	speaker, ok := ix.addressed("katya")
	require.True(t, ok)
	require.Equal(t, "mx 77", ix.speakers[speaker])
	for _, no := range []string{"plumber", "nobody", "you"} {
		_, ok := ix.addressed(no)
		require.False(t, ok, no)
	}
}

// Rows of any number and times however far away are found like others.
func TestSparseIDsAndTimes(t *testing.T) {
	pgtest.FileOnly(t, "ids of its own")
	db := open(t)
	g := openGeneration(t, db, "m", 4)
	const year = 365 * 24 * 60 // minutes
	var ids []int64
	for i, minutes := range []int{280 * year, -100 * year, 0, -250 * year, 200 * year} {
		ids = append(ids, say(t, db, ada, turn{session: "one", text: fmt.Sprintf("Kettle %d, and a cat.", i), minutes: minutes})...)
		embedAll(t, db, g, synonyms)
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE sqlite_sequence SET seq = ? WHERE name IN ('memories', 'vectors')", int64(i+1)<<(30+i))
			return err
		}))
	}
	require.Greater(t, ids[4], int64(1)<<33)
	for _, exact := range []int{0, 2} {
		s := searcher(t, db, synonyms, VectorOptions{Exact: exact})
		for text, arm := range map[string]string{"kettle": "text", "kitten": "vector"} {
			found := search(t, s, Query{Text: text, Limit: 10})
			require.Empty(t, found.Degraded)
			require.Len(t, found.Results, len(ids))
			for _, r := range found.Results {
				require.Contains(t, ids, r.Memory.ID)
				require.Contains(t, r.Explain(), "found by "+arm)
			}
		}
		since := search(t, s, Query{Text: "kettle", Since: noon.AddDate(1, 0, 0)})
		require.ElementsMatch(t, []string{"Kettle 0, and a cat.", "Kettle 4, and a cat."}, texts(since))
		until := search(t, s, Query{Text: "kettle", Until: noon.AddDate(-200, 0, 0)})
		require.Equal(t, []string{"Kettle 3, and a cat."}, texts(until))
		before, _ := s.indexes.get(1).around(2)
		require.Equal(t, [window]int32{1, 3}, before)
	}
}
