package recall

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/recall/background"
	"github.com/ebbmem/ebb/schema"
)

// While the first search of much text is under way, nothing of text and vectors
// is read in the background; no other search holds that up.
func TestFirstSearchPrecedesBackgroundReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		say(t, db, ada, pets...)
		g := openGeneration(t, db, "m", 4)
		embedAll(t, db, g, synonyms)
		s := searcher(t, db, synonyms, VectorOptions{})
		s.indexes.inline, s.indexes.first = len(pets)-1, len(pets)-2
		s.vectors.sets.inline = len(pets) - 1
		ask := func(wait bool) (before bool, answer *Answer) {
			answer = search(t, s, Query{Text: "kitten dinner", Wait: wait, Skip: func(*schema.Memory) bool {
				synctest.Wait() // until all background readers are done or yield
				before = s.background.Idle() != nil
				require.Equal(t, before, s.indexes.get(1).partly())
				require.Equal(t, !before, s.vectors.sets.get(1, g).len() > 0)
				return false
			}})
			require.Nil(t, s.background.Idle(), "it has been given back")
			return before, answer
		}
		before, answer := ask(false)
		require.True(t, before)
		require.Len(t, answer.Degraded, 2)
		s.background.Wait()
		before, answer = ask(false)
		require.False(t, before)
		require.Empty(t, answer.Degraded)
		s.Forget(1)
		before, answer = ask(true)
		require.False(t, before, "who waits for all would wait for those who stand back")
		require.Empty(t, answer.Degraded)
		s.Forget(1)
		s.indexes.inline, s.vectors.sets.inline = len(pets), len(pets)
		before, answer = ask(false)
		require.False(t, before, "little is read by the search itself, side by side")
		require.Empty(t, answer.Degraded)
	})
}

// What has begun stands back on its way, however much there is.
func TestRunningReadYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		turns := make([]turn, 300)
		for i := range turns {
			turns[i] = turn{session: "one", text: fmt.Sprintf("The cello, day %d.", i), minutes: i}
		}
		say(t, db, ada, turns...)
		g := openGeneration(t, db, "m", 4)
		embedAll(t, db, g, synonyms)
		s := searcher(t, db, synonyms, VectorOptions{})
		s.indexes.inline = 10
		search(t, s, Query{Text: "cello"})
		s.background.Wait()
		s.Forget(1)
		defer s.background.Begin()()
		for what, read := range map[string]func(context.Context, *schema.Snapshot) error{
			"text": func(ctx context.Context, snap *schema.Snapshot) error {
				return newIndex().catchUp(ctx, snap, 1, 0)
			},
			"vectors": func(ctx context.Context, snap *schema.Snapshot) error {
				return s.vectors.sets.loadFrom(ctx, snap, 1, s.vectors.sets.get(1, g))
			},
		} {
			began := time.Now()
			require.NoError(t, db.Read(t.Context(), read))
			require.Zero(t, time.Since(began), "a search reads its own %s", what)
			require.NoError(t, db.Read(s.background.Mark(t.Context()), func(ctx context.Context, snap *schema.Snapshot) error {
				s.vectors.sets.forget(1)
				return read(ctx, snap)
			}))
			require.Equal(t, background.MaxYield, time.Since(began), what)
		}
	})
}

// The background loading of a user's vectors yields to the user's first search, which
// does not wait for it.
func TestFirstSearchDoesNotWaitForYielding(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	g := openGeneration(t, db, "m", 4)
	embedAll(t, db, g, synonyms)
	s := searcher(t, db, synonyms, VectorOptions{})
	s.indexes.inline, s.indexes.first = len(pets)-1, len(pets)-2 // more text than a search reads itself, and no more vectors
	set := s.vectors.sets.get(1, g)
	set.reading <- struct{}{}
	defer func() { <-set.reading }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // it would be for ever
	defer cancel()
	answer, err := s.Search(ctx, ada, Query{Text: "kitten dinner"})
	require.NoError(t, err)
	require.Len(t, answer.Degraded, 1, "the text alone")
	require.Equal(t, len(pets), set.len())
}

// partly reports whether the index skips older text.
func (ix *sharedIndex) partly() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.skipped > 0
}
