package recall

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/recall/vector"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// A memory's cosine is the best of its vectors, in whatever order they arrive.
func TestCosineOfAMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]int64{0, 1<<32 - 5}).Draw(t, "first")
		memories := rapid.SliceOfN(rapid.Int64Range(first+1, first+9), 1, 40).Draw(t, "memories")
		vectors := vectortest.Clustered(rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed"))), 1, len(memories), 10)
		set := newVectorSet(&vecstore.Generation{ID: 1, Dims: 10}, rapid.IntRange(1, 60).Draw(t, "exact"))
		for i, v := range vectors {
			require.NoError(t, set.add(vecstore.ChunkVector{ID: int64(i + 1), MemoryID: memories[i], Vector: v}))
		}
		query := set.vectors.Query(vectors[0])
		for memory := first; memory < first+11; memory++ {
			want, known := float32(-1), false
			for i := range vectors {
				if memories[i] == memory {
					want, known = max(want, query.Cosine(i)), true
				}
			}
			got := set.closest(query, memory)
			require.Equal(t, known, got.vectors > 0)
			require.Equal(t, want, got.Cosine)
		}
	})
}

// directions embeds a text as the sum of a direction for each word it knows:
// synonyms share one.
type directions struct {
	known map[string]int
	dims  int
	err   error
	deaf  bool
}

var synonyms = directions{dims: 4, known: map[string]int{"cat": 0, "kitten": 0, "tabby": 0, "car": 1, "bicycle": 1, "rain": 2}}

func (d directions) vector(text string) vecstore.Vector {
	v := make(vecstore.Vector, d.dims)
	v[d.dims-1] = 0.3
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if at, ok := d.known[strings.Trim(word, ".?")]; ok {
			v[at%d.dims]++
		}
	}
	unit, _ := v.Unit(0)
	return unit
}

func (d directions) EmbedQuery(ctx context.Context, _ *vecstore.Generation, text string) (vecstore.Vector, error) {
	if d.deaf {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return d.vector(text), d.err
}

// embedAll stores the vectors of everything that has none in the generation.
func embedAll(t failer, db *schema.DB, g *vecstore.Generation, d directions) {
	t.Helper()
	ctx := context.Background()
	var vectors []vecstore.ChunkVector
	require.NoError(t, db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		last, err := vecstore.LastChunks(ctx, s)
		for user := range last {
			pending, err := vecstore.PendingChunks(ctx, s, user, g.ID, 0, 100_000)
			if err != nil {
				return err
			}
			for _, p := range pending {
				vectors = append(vectors, vecstore.ChunkVector{ChunkID: p.ID, MemoryID: p.MemoryID, Vector: d.vector(p.Text)})
			}
		}
		return err
	}))
	require.NoError(t, db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		_, err := vecstore.InsertVectors(ctx, tx, g.ID, vectors)
		return err
	}))
}

func openGeneration(t failer, db *schema.DB, model string, dims int) (g *vecstore.Generation) {
	t.Helper()
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) (err error) {
		g, err = vecstore.OpenGeneration(ctx, tx, model, dims)
		return err
	}))
	return g
}

func searcher(t testing.TB, db *schema.DB, e Embedder, opts VectorOptions) *Searcher {
	t.Helper()
	opts.Embedder = e
	s := New(db, Options{Vectors: opts, Weights: withoutTopics()})
	t.Cleanup(s.Close)
	return s
}

func textsOf(answer *Answer) (all []string) {
	for _, r := range answer.Results {
		all = append(all, r.Memory.Content)
	}
	return all
}

func recalled(t testing.TB, s *Searcher, scope schema.Scope, text string) *Answer {
	t.Helper()
	answer, err := s.Search(t.Context(), scope, Query{Text: text, Now: noon})
	require.NoError(t, err)
	return answer
}

var pets = []turn{
	{text: "The tabby sleeps all day."}, {text: "We sold the bicycle."}, {text: "It will rain."},
	{text: "Dinner was late."}, {text: "Nobody called."},
}

// A vector that cannot be taken in ends the reading: what came before it is not
// read again.
func TestVectorsAreAddedOnce(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	g := openGeneration(t, db, "m", 4)
	embedAll(t, db, g, synonyms)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE vectors SET vector = ? WHERE id = (SELECT max(id) FROM vectors)", make([]byte, 8))
		return err
	}))
	set := &sharedVectors{of: g, vectorSet: newVectorSet(g, 100)}
	for range 2 {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			user, err := s.UserID(ctx, ada)
			require.NoError(t, err)
			last, err := vecstore.LastVector(ctx, s, user)
			require.NoError(t, err)
			var invalid *schema.InvalidError
			require.ErrorAs(t, set.catchUp(ctx, s, user, last), &invalid)
			return nil
		}))
		require.Equal(t, len(pets)-1, set.len())
	}
	s := searcher(t, db, synonyms, VectorOptions{})
	require.Len(t, recalled(t, s, ada, "kitten").Degraded, 1)
	require.Equal(t, len(pets)-1, s.vectors.sets.get(1, g).len())
}

// A user may have many chunks and few vectors.
func TestTrimFreesUnusedRoom(t *testing.T) {
	const added, expected = 20, 4096
	set := newVectorSet(&vecstore.Generation{ID: 1, Dims: 8}, 100)
	set.reserve(expected)
	for i := range added {
		require.NoError(t, set.add(vecstore.ChunkVector{ID: int64(i + 1), MemoryID: int64(i + 1), Vector: make(vecstore.Vector, 8)}))
	}
	set.trim()
	require.Equal(t, added, set.len())
	require.Less(t, set.memories.Cap(), expected/2)
	require.Less(t, set.ids.Cap(), expected/2)
}

func TestMeaningWithoutSharedWords(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	require.Empty(t, recalled(t, searcher(t, db, nil, VectorOptions{}), ada, "kitten").Results, "by text there is nothing")
	for name, exact := range map[string]int{"exact": 0, "codes": 1} {
		t.Run(name, func(t *testing.T) {
			answer := recalled(t, searcher(t, db, synonyms, VectorOptions{Exact: exact}), ada, "kitten")
			require.Empty(t, answer.Degraded)
			require.Equal(t, "The tabby sleeps all day.", textsOf(answer)[0])
			require.Contains(t, answer.Results[0].Explain(), "found by vector: rank 1")
		})
	}
}

func TestFactVectorFindsTurn(t *testing.T) {
	db := open(t)
	turns := say(t, db, ada, pets...)
	fact := claim(t, db, ada, "There is a kitten.", schema.MaxTrust, turns[3])
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	dinner := func(s *Searcher) (vector float64) {
		answer, err := s.Search(t.Context(), ada, Query{Text: "cat", Now: noon, Kinds: []schema.Kind{schema.KindEpisode}})
		require.NoError(t, err)
		require.Empty(t, answer.Degraded)
		for _, r := range answer.Results {
			for _, signal := range r.Signals {
				if r.Memory.ID == turns[3] && signal.Name == "vector" {
					vector = signal.Value
				}
			}
		}
		return vector
	}
	for name, exact := range map[string]int{"exact": 0, "codes": 1} {
		require.Positive(t, dinner(searcher(t, db, synonyms, VectorOptions{Exact: exact})), name)
	}
	write(t, db, fact, retire)
	require.Zero(t, dinner(searcher(t, db, synonyms, VectorOptions{})))
}

func TestVectorsOfAnotherUserAreNeverSeen(t *testing.T) {
	db := open(t)
	bob := schema.Scope{User: "bob"}
	say(t, db, ada, pets...)
	s := searcher(t, db, synonyms, VectorOptions{})
	g := openGeneration(t, db, "m", 4)
	embedAll(t, db, g, synonyms)
	before := recalled(t, s, ada, "kitten")
	for i := range 20 {
		say(t, db, bob, turn{text: fmt.Sprintf("A cat and a kitten %d.", i)})
	}
	embedAll(t, db, g, synonyms)
	after := recalled(t, s, ada, "kitten")
	require.Equal(t, textsOf(before), textsOf(after))
	require.Equal(t, before.Results[0].Score, after.Results[0].Score, "nor do they move a score")
	for _, content := range textsOf(recalled(t, s, bob, "tabby")) {
		require.Contains(t, content, "A cat and a kitten")
	}
}

func TestNewVectorsAreFoundAtOnce(t *testing.T) {
	db := open(t)
	s := searcher(t, db, synonyms, VectorOptions{})
	g := openGeneration(t, db, "m", 4)
	for i, said := range pets {
		say(t, db, ada, said)
		embedAll(t, db, g, synonyms)
		answer := recalled(t, s, ada, "kitten")
		require.Empty(t, answer.Degraded)
		require.Len(t, answer.Results, i+1)
		fresh := recalled(t, searcher(t, db, synonyms, VectorOptions{}), ada, "kitten")
		require.Equal(t, textsOf(fresh), textsOf(answer))
	}
}

func TestGenerationsAreNeverMixed(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	old := openGeneration(t, db, "old", 4)
	embedAll(t, db, old, synonyms)
	// The new model, of the same size, has everything the other way round.
	reversed := directions{dims: 4, known: map[string]int{"kitten": 0, "bicycle": 0, "cat": 1, "tabby": 1}}
	next := openGeneration(t, db, "new", 4)
	embedAll(t, db, next, reversed)
	both := byModel{"old": synonyms, "new": reversed}
	s := searcher(t, db, both, VectorOptions{})
	require.Equal(t, "The tabby sleeps all day.", textsOf(recalled(t, s, ada, "kitten"))[0], "the old one serves")
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return vecstore.ActivateGeneration(ctx, tx, next.ID)
	}))
	require.Equal(t, "We sold the bicycle.", textsOf(recalled(t, s, ada, "kitten"))[0], "the new one serves, in the same searcher")
}

type byModel map[string]directions

func (m byModel) EmbedQuery(ctx context.Context, g *vecstore.Generation, text string) (vecstore.Vector, error) {
	return m[g.Model].EmbedQuery(ctx, g, text)
}

func TestTextDoesNotWaitForTheEmbedder(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	for want, e := range map[string]directions{
		"did not answer within 20ms":       {dims: 4, deaf: true},
		"the key is wrong":                 {dims: 4, err: errors.New("the key is wrong")},
		"gave 5 numbers, the vectors have": {dims: 5},
	} {
		started := time.Now()
		answer := recalled(t, searcher(t, db, e, VectorOptions{Timeout: 20 * time.Millisecond}), ada, "bicycle")
		require.Less(t, time.Since(started), 5*time.Second)
		require.Equal(t, []string{"We sold the bicycle."}, textsOf(answer)[:1])
		require.Len(t, answer.Degraded, 1)
		require.Equal(t, "vector", answer.Degraded[0].Arm)
		require.Contains(t, answer.Degraded[0].Reason, want)
	}
}

func TestWithoutVectors(t *testing.T) {
	db := open(t)
	s := searcher(t, db, directions{dims: 4, err: errors.New("must not be asked")}, VectorOptions{})
	memtest.Write(t, db, ada, func(context.Context, *schema.Tx, int64) error { return nil })
	require.Empty(t, recalled(t, s, ada, "bicycle").Degraded, "there is nothing to search")
	say(t, db, ada, pets...)
	answer := recalled(t, s, ada, "bicycle")
	require.Equal(t, []Degraded{{"vector", "no text has a vector yet"}}, answer.Degraded)
	require.Empty(t, s.Degradations(), "which is no fault: they are being made")
	require.Equal(t, []string{"We sold the bicycle."}, textsOf(answer)[:1])
	text, err := s.Search(t.Context(), ada, Query{Text: "bicycle", Now: noon, TextOnly: true})
	require.NoError(t, err)
	require.Empty(t, text.Degraded)
	require.Empty(t, recalled(t, New(db, Options{}), ada, "bicycle").Degraded, "no embedder is set")
	openGeneration(t, db, "m", 4)
	require.Empty(t, recalled(t, searcher(t, db, synonyms, VectorOptions{}), ada, "bicycle").Degraded)
}

func TestVectorsOfManyUsersAreBounded(t *testing.T) {
	db := open(t)
	s := searcher(t, db, synonyms, VectorOptions{})
	g := openGeneration(t, db, "m", 4)
	var users []schema.Scope
	for i := range 4 {
		users = append(users, schema.Scope{User: fmt.Sprint("user ", i)})
		say(t, db, users[i], pets...)
	}
	embedAll(t, db, g, synonyms)
	each := int64(len(pets) * 4 * 4)
	s.vectors.sets.bytes = 2*each + 1
	for range 2 {
		for _, user := range users {
			answer := recalled(t, s, user, "kitten")
			require.Empty(t, answer.Degraded)
			require.Equal(t, "The tabby sleeps all day.", textsOf(answer)[0])
			require.LessOrEqual(t, s.vectors.sets.byUser.Len(), 2)
		}
	}
	s.vectors.sets.inline = 0 // read in the background
	recalled(t, s, users[0], "kitten")
	s.background.Wait()
	require.Equal(t, 2, s.vectors.sets.byUser.Len())
	require.Equal(t, "The tabby sleeps all day.", textsOf(recalled(t, s, users[0], "kitten"))[0])
}

func TestManyVectorsAreReadInTheBackground(t *testing.T) {
	db := open(t)
	say(t, db, ada, pets...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	few := func() *Searcher {
		s := searcher(t, db, synonyms, VectorOptions{})
		s.vectors.sets.inline = len(pets) - 1
		return s
	}
	s := few()
	first := recalled(t, s, ada, "kitten")
	require.Equal(t, []Degraded{{"vector", "the vectors are still being read"}}, first.Degraded)
	s.background.Wait()
	loaded := recalled(t, s, ada, "kitten")
	require.Empty(t, loaded.Degraded)
	require.Equal(t, "The tabby sleeps all day.", textsOf(loaded)[0])
	waiting, err := few().Search(t.Context(), ada, Query{Text: "kitten", Now: noon, Wait: true})
	require.NoError(t, err)
	require.Equal(t, loaded, waiting)

	ahead := few()
	ahead.Preload()
	ahead.background.Wait()
	set, ok := ahead.vectors.sets.byUser.Peek(1)
	require.True(t, ok)
	require.Equal(t, len(pets), set.len())
	unreadable := *set.of
	unreadable.Dims++
	set.of = &unreadable
	require.NoError(t, ahead.vectors.sets.loadNow(t.Context(), 1, set), "what another has loaded meanwhile is not read again")
	ahead.Close()
	ahead.Close() // twice is fine
	ahead.Preload()
}

// Who waits for what another reads waits no longer than its context; who need
// not wait answers without.
func TestWaitingForVectorsEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		say(t, db, ada, pets...)
		g := openGeneration(t, db, "m", 4)
		embedAll(t, db, g, synonyms)
		s := searcher(t, db, synonyms, VectorOptions{})
		s.vectors.sets.inline = len(pets) - 1
		set := s.vectors.sets.get(1, g)
		set.reading <- struct{}{} // as if the disk were slow
		for range 2 {
			answer := recalled(t, s, ada, "bicycle")
			require.Equal(t, []Degraded{{"vector", "the vectors are still being read"}}, answer.Degraded)
			require.Equal(t, "We sold the bicycle.", textsOf(answer)[0])
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // passes when all are waiting
		defer cancel()
		_, err := s.Search(ctx, ada, Query{Text: "kitten", Now: noon, Wait: true})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		s.Close() // ends the reading in the background, which waits as well
		<-set.reading
		require.Empty(t, recalled(t, s, ada, "kitten").Degraded, "who gave up holds up nobody")
	})
}

func TestSearchingWhileVectorsArrive(t *testing.T) {
	db := open(t)
	g := openGeneration(t, db, "m", 4)
	s := searcher(t, db, synonyms, VectorOptions{Exact: 5, rescored: 10, Timeout: time.Minute})
	faults := make(chan error, 4)
	for range cap(faults) {
		go func() {
			for range 30 {
				answer, err := s.Search(t.Context(), ada, Query{Text: "kitten", Now: noon})
				if err != nil || len(answer.Degraded) > 0 {
					faults <- fmt.Errorf("%v %w", answer, err)
					return
				}
			}
			faults <- nil
		}()
	}
	for range 10 {
		say(t, db, ada, pets...)
		embedAll(t, db, g, synonyms)
		s.Preload()
	}
	for range cap(faults) {
		require.NoError(t, <-faults)
	}
	require.Equal(t, pets[0].text, textsOf(recalled(t, s, ada, "kitten"))[9], "all ten are found, and nothing else before")
}

func TestFiltersReachBeyondNearest(t *testing.T) {
	racing.Alone(t)
	db := open(t)
	turns := []turn{{session: "quiet", text: "It will rain."}}
	for range 5 * armDepth {
		turns = append(turns, turn{session: "loud", text: "My cat."})
	}
	say(t, db, ada, turns...)
	embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
	for _, exact := range []int{0, 100} {
		s := searcher(t, db, synonyms, VectorOptions{Exact: exact, rescored: 200})
		answer, err := s.Search(t.Context(), ada, Query{Text: "kitten", Session: "quiet", Now: noon})
		require.NoError(t, err)
		require.Equal(t, []string{"It will rain."}, textsOf(answer))
	}
}

func TestTrust(t *testing.T) {
	s := &similar{usual: vector.Distribution{Mean: 0.5, Deviation: 0.1}, known: map[int64]closest{1: {vector.Match{Cosine: 0.8}, 1}, 2: {vector.Match{Cosine: 0.2}, 1}, 3: {}}}
	held := func(memory int64) []scored {
		return []scored{{proposal: proposal{memoryID: memory}, signals: signals{Text: 1}}}
	}
	for _, c := range []struct {
		query string
		found []scored
		want  float64
	}{
		{"cats", held(1), 1}, {"cats", held(2), 0}, {"cats", held(3), 1}, {"cats", nil, 1},
		{"猫", held(1), 1}, {"猫", held(2), 0}, {"猫", nil, 1},
	} {
		require.InDelta(t, c.want, s.trust(c.query, c.found), 1e-9, "%s %v", c.query, c.found)
	}
	s.known[1] = closest{vector.Match{Cosine: 0.52}, 1} // barely alike
	require.InDelta(t, 0.7, s.trust("cats", held(1)), 1e-6)
	require.Zero(t, s.trust("猫", held(1)), "another script has to earn it")
	require.False(t, math.IsNaN(s.trust("", nil)))
}

// The vector of a reply is also compared together with that of what it replies to.
func TestReplyIsComparedWithWhatItRepliesTo(t *testing.T) {
	signal := func(asks, answers string) float64 {
		db := open(t)
		say(t, db, ada,
			turn{session: "a", speaker: asks, text: "Your cat?"}, turn{session: "a", speaker: answers, text: "In the rain, cat and bicycle."},
			turn{session: "b", speaker: "Bob", text: "Rain."}, turn{session: "b", speaker: "Bob", text: "A car."}, turn{session: "c", speaker: "Ann", text: "A bicycle."},
		)
		embedAll(t, db, openGeneration(t, db, "m", 4), synonyms)
		for _, r := range recalled(t, searcher(t, db, synonyms, VectorOptions{}), ada, "kitten").Results {
			if strings.HasPrefix(r.Memory.Content, "In the rain") {
				return r.Similarity
			}
		}
		t.Fatal("the reply is not found")
		return 0
	}
	require.Greater(t, signal("Ann", "Bob"), signal("Bob", "Bob"), "what the same speaker says before is no question to it")
}

func TestLongTextsAreNotJoined(t *testing.T) {
	ix := newIndex()
	for id, speaker := range []string{"ann", "bob", "ann"} {
		ix.add(schema.IndexedChunk{ID: int64(id + 1), MemoryID: int64(id + 1), SessionID: 1, EventTime: int64(id), Kind: schema.KindEpisode, State: schema.StateActive, Speaker: speaker, Text: []byte("word")}, 0)
	}
	set := newVectorSet(&vecstore.Generation{ID: 1, Dims: 2}, 10)
	for id, memory := range []int64{1, 2, 3, 3} {
		require.NoError(t, set.add(vecstore.ChunkVector{ID: int64(id + 1), MemoryID: memory, Vector: vecstore.Vector{0.6, 0.8}}))
	}
	s := &similar{usual: vector.Distribution{Deviation: 0.2}, set: set, query: set.vectors.Query([]float32{1, 0}), known: make(map[int64]closest)}
	require.InDelta(t, 0.6, s.inTalk(ix, 1, -1, -1), 1e-6, "alone it is as near as its vector")
	require.InDelta(t, 0.6, s.inTalk(ix, 1, 0, 2), 1e-6, "the same vector adds nothing")
	require.Zero(t, s.inTalk(ix, 2, 1, -1), "it has two vectors")
	s.known[1] = closest{vector.Match{Place: 0, Cosine: 1}, 1}
	near := s.inTalk(ix, 1, 0, 2)
	require.Greater(t, near, 0.6)
	s.known[1] = closest{vector.Match{Place: 0, Cosine: 1}, 2}
	require.InDelta(t, 0.6, s.inTalk(ix, 1, 0, 2), 1e-6, "the question before has two vectors")
}

// hashed embeds a text at random, but always in the same way.
type hashed struct{ dims int }

func (h hashed) EmbedQuery(_ context.Context, _ *vecstore.Generation, text string) (vecstore.Vector, error) {
	sum := fnv.New64a()
	sum.Write([]byte(text))
	random := rand.New(rand.NewPCG(sum.Sum64(), 1))
	v := make(vecstore.Vector, h.dims)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v.Unit(0)
}

// embedTurns gives the turns that fill has stored these vectors, in order.
func embedTurns(b *testing.B, db *schema.DB, vectors [][]float32) {
	b.Helper()
	g := openGeneration(b, db, "m", len(vectors[0]))
	at := int64(0)
	for some := range slices.Chunk(vectors, 5000) {
		require.NoError(b, db.Write(b.Context(), func(ctx context.Context, tx *schema.Tx) error {
			batch := make([]vecstore.ChunkVector, len(some))
			for i, v := range some { // turns of one chunk each
				at++
				batch[i] = vecstore.ChunkVector{ChunkID: 1<<32 + at, MemoryID: at, Vector: v}
			}
			stored, err := vecstore.InsertVectors(ctx, tx, g.ID, batch)
			require.Equal(b, len(batch), stored)
			return err
		}))
	}
}

// BenchmarkHybridSearch asks a user's 10,000 and 100,000 turns with vectors of
// 256 numbers; see BenchmarkSearch for the same without them.
func BenchmarkHybridSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b)
			fill(b, db, n)
			const dims = 256
			embedTurns(b, db, vectortest.Clustered(rand.New(rand.NewPCG(1, 2)), n/200, 200, dims))
			s := New(db, Options{Vectors: VectorOptions{Embedder: hashed{dims}, Timeout: time.Minute}})
			b.Cleanup(s.Close)
			started := time.Now()
			s.Preload()
			s.background.Wait()
			b.Logf("%d vectors loaded in %s", n, time.Since(started).Round(time.Millisecond))
			all := questions(100)
			_, err := s.Search(b.Context(), ada, Query{Text: all[0], Now: noon, Wait: true}) // loads the text
			require.NoError(b, err)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				started := time.Now()
				answer, err := s.Search(b.Context(), ada, Query{Text: all[i%len(all)], Now: noon})
				took = append(took, time.Since(started))
				if err != nil || len(answer.Degraded) > 0 {
					b.Fatal(err, answer)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		})
	}
}
