package recall

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ebbmem/ebb/internal/sqlite"

	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// Older text that damage makes unreadable is reported as that, and not read again for each
// search until something has changed.
func TestOlderTextThatCannotBeRead(t *testing.T) {
	pgtest.FileOnly(t, "rows as another program leaves them")
	db := open(t)
	var turns []turn
	for i := range 30 {
		turns = append(turns, turn{session: "one", text: "The cello.", minutes: i})
	}
	ids := say(t, db, ada, turns...)
	other, err := sqlite.OpenSQLite("file:"+db.Path()+"?mode=rw", false, fts5.Register)
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	damage := func(state string) {
		_, err := other.ExecContext(t.Context(), fmt.Sprintf("PRAGMA ignore_check_constraints = on; UPDATE memories SET state = '%s' WHERE id = %d", state, ids[3]))
		require.NoError(t, err)
	}
	damage("activf")
	s := New(db, Options{})
	defer s.Close()
	s.indexes.inline, s.indexes.first = 10, 5
	search(t, s, Query{Text: "cello", Limit: 100})
	s.background.Wait()
	for range 2 {
		answer := search(t, s, Query{Text: "cello", Limit: 100})
		require.Len(t, answer.Results, 5)
		require.Len(t, answer.Degraded, 1)
		require.Contains(t, answer.Degraded[0].Reason, "only the newest 5 memories were searched: the others cannot be read: ")
		require.False(t, s.indexes.get(1).completing.Load())
	}
	_, err = s.Search(t.Context(), ada, Query{Text: "cello", Now: noon, Wait: true})
	require.ErrorIs(t, err, schema.ErrCorrupt)

	damage("active")
	say(t, db, ada, turn{session: "one", text: "No cello.", minutes: 40})
	search(t, s, Query{Text: "cello", Limit: 100})
	s.background.Wait()
	answer := search(t, s, Query{Text: "cello", Limit: 100})
	require.Len(t, answer.Results, 31)
	require.Empty(t, answer.Degraded)
}

// Vectors that damage makes unreadable are reported as that, while they are read in the
// background.
func TestVectorsThatCannotBeRead(t *testing.T) {
	pgtest.FileOnly(t, "rows as another program leaves them")
	db := open(t)
	say(t, db, ada, slices.Concat(pets, pets, pets)...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	other, err := sqlite.OpenSQLite("file:"+db.Path()+"?mode=rw", false, fts5.Register)
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	change := func(statement string) {
		_, err := other.ExecContext(t.Context(), "PRAGMA ignore_check_constraints = on; "+statement)
		require.NoError(t, err)
	}
	s := searcher(t, db, synonyms, VectorOptions{})
	s.vectors.sets.inline = 2
	change("UPDATE vectors SET vector = substr(vector, 2) WHERE id = 2")
	require.Equal(t, []Degraded{{"vector", "the vectors are still being read"}}, recalled(t, s, ada, "kitten").Degraded)
	for range 2 {
		s.background.Wait()
		answer := recalled(t, s, ada, "kitten")
		require.Len(t, answer.Degraded, 1)
		require.Contains(t, answer.Degraded[0].Reason, "15 bytes")
	}
	change("UPDATE vectors SET vector = (SELECT v.vector FROM vectors v WHERE v.id = 1) WHERE id = 2")
	s.background.Wait()
	recalled(t, s, ada, "kitten")
	s.background.Wait()
	require.Empty(t, recalled(t, s, ada, "kitten").Degraded)
}

// What a file may hold in place of a kind or a state matches nothing.
func TestUnknownKindsAndStates(t *testing.T) {
	require.Zero(t, bitOfKind("episodf"))
	require.Zero(t, bitOfState(""))
	seen := make(map[uint8]bool)
	for _, s := range states {
		bit := uint8(bitOfState(s))
		require.False(t, bit == 0 || seen[bit], s)
		seen[bit] = true
	}
}

// Ids in the file say how much is to come; damaged ones do not take all memory.
func TestExpectationsAreBounded(t *testing.T) {
	ix := newIndex()
	ix.expect(1 << 32)
	require.LessOrEqual(t, cap(ix.docs), maxExpected)
	set := newVectorSet(&vecstore.Generation{Dims: 2}, 10)
	set.reserve(1 << 40)
	require.LessOrEqual(t, set.ids.Cap(), maxExpected)
}
