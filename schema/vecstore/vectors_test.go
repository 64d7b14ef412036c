package vecstore_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

var ada = schema.Scope{Tenant: "acme", User: "ada", Session: "s1"}

func FuzzVectorScan(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 128, 63})
	f.Add([]byte{1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, blob []byte) {
		v := vecstore.Vector{7} // a reused one
		if err := v.Scan(blob); err != nil {
			if len(blob) > 0 && len(blob)%4 == 0 {
				t.Fatalf("%d bytes: %v", len(blob), err)
			}
			return
		}
		for i, x := range v {
			if want := binary.LittleEndian.Uint32(blob[4*i:]); math.Float32bits(x) != want && x == x {
				t.Fatalf("number %d: %x, want %x", i, math.Float32bits(x), want)
			}
		}
		back, err := v.Value()
		require.NoError(t, err)
		require.Len(t, back, len(blob))
	})
}

func TestVectorScanRefusesInvalid(t *testing.T) {
	var v vecstore.Vector
	for _, src := range []any{nil, "[1,2]", int64(1), []byte{}, []byte{1, 2, 3}} {
		require.Error(t, v.Scan(src), "%v", src)
	}
	_, err := v.Value()
	require.Error(t, err)
}

func TestUnit(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name string
		in   vecstore.Vector
		dims int
		want string // of the error
	}{
		{"none", nil, 0, "has 0 numbers"},
		{"too short", vecstore.Vector{1, 2}, 3, "has 2 numbers, want 3"},
		{"NaN", vecstore.Vector{1, nan}, 0, "NaN at 1"},
		{"NaN behind the cut", vecstore.Vector{1, nan}, 1, "NaN at 1"},
		{"Inf", vecstore.Vector{inf, 1}, 0, "Inf at 0"},
		{"zero", vecstore.Vector{0, 0}, 0, "all zero"},
		{"zero before the cut", vecstore.Vector{0, 1}, 1, "all zero"},
	} {
		_, err := c.in.Unit(c.dims)
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid, c.name)
		require.ErrorContains(t, err, c.want, c.name)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := vecstore.Vector(rapid.SliceOfN(rapid.Float32Range(-1e30, 1e30), 1, 40).Draw(t, "v"))
		dims := rapid.IntRange(0, len(v)).Draw(t, "dims")
		u, err := v.Unit(dims)
		if err != nil {
			return // all zero
		}
		if dims == 0 {
			dims = len(v)
		}
		require.Len(t, u, dims)
		var length, along, norm float64
		for i := range u {
			length += float64(u[i]) * float64(u[i])
			along += float64(u[i]) * float64(v[i])
			norm += float64(v[i]) * float64(v[i])
		}
		require.InDelta(t, 1, length, 1e-5)
		require.InDelta(t, 1, along/math.Sqrt(norm), 1e-5, "it points where v points")
	})
}

// pending lists what a generation has no vector of, for every user.
func pending(t testing.TB, db *schema.DB, generation int64) (all []vecstore.PendingChunk) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		last, err := vecstore.LastChunks(ctx, s)
		if err != nil {
			return err
		}
		for user := int64(1); user <= int64(len(last)); user++ {
			chunks, err := vecstore.PendingChunks(ctx, s, user, generation, 0, 1000)
			if err != nil {
				return err
			}
			if len(chunks) > 0 {
				require.LessOrEqual(t, chunks[len(chunks)-1].ID, last[user])
			}
			all = append(all, chunks...)
		}
		return nil
	}))
	return all
}

func generation(t testing.TB, db *schema.DB, model string, dims int) (g *vecstore.Generation) {
	t.Helper()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		g, err = vecstore.OpenGeneration(ctx, tx, model, dims)
		return err
	}))
	return g
}

func insert(t testing.TB, db *schema.DB, generation int64, vectors ...vecstore.ChunkVector) (n int, err error) {
	t.Helper()
	err = db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		n, err = vecstore.InsertVectors(ctx, tx, generation, vectors)
		return err
	})
	return n, err
}

func visited(t testing.TB, db *schema.DB, user, generation, after int64) (vectors []vecstore.ChunkVector) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return vecstore.VectorsAfter(ctx, s, user, generation, after, func(v vecstore.ChunkVector) error {
			v.Vector = append(vecstore.Vector(nil), v.Vector...)
			vectors = append(vectors, v)
			return nil
		})
	}))
	return vectors
}

func TestPendingChunksHoldTheOriginalPieces(t *testing.T) {
	db := memtest.Open(t)
	long := strings.Repeat("The kiln was hot. ", 60) + strings.Repeat("Glazes need patience. ", 60)
	for _, content := range []string{"Short, with Capitals.", long} {
		_, err := memtest.Say(t.Context(), db, ada, content)
		require.NoError(t, err)
	}
	chunks := pending(t, db, 0)
	require.Greater(t, len(chunks), 3)
	require.Equal(t, "Short, with Capitals.", chunks[0].Text)
	var pieces []string
	for _, c := range chunks[1:] {
		require.Equal(t, chunks[1].MemoryID, c.MemoryID)
		pieces = append(pieces, c.Text)
	}
	require.Equal(t, strings.Fields(long), strings.Fields(strings.Join(pieces, " ")), "no piece is lost or told twice")
}

func TestVectorsAreKeptByUserAndGeneration(t *testing.T) {
	db := memtest.Open(t)
	bob := schema.Scope{Tenant: "acme", User: "bob"}
	for i := range 3 {
		for _, scope := range []schema.Scope{ada, bob} {
			_, err := memtest.Say(t.Context(), db, scope, fmt.Sprintf("message %d", i))
			require.NoError(t, err)
		}
	}
	g := generation(t, db, "m", 2)
	require.Equal(t, vecstore.GenerationServing, g.State, "the first serves at once")
	all := pending(t, db, g.ID)
	require.Len(t, all, 6)
	for _, c := range all[1:] {
		n, err := insert(t, db, g.ID, vecstore.ChunkVector{ChunkID: c.ID, MemoryID: c.MemoryID, Vector: vecstore.Vector{0, 1}})
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.Equal(t, all[:1], pending(t, db, g.ID))

	user1, user2 := visited(t, db, 1, g.ID, 0), visited(t, db, 2, g.ID, 0)
	require.Len(t, user1, 2)
	require.Len(t, user2, 3)
	require.Equal(t, all[1].MemoryID, user1[0].MemoryID)
	require.Equal(t, user2[2:], visited(t, db, 2, g.ID, user2[1].ID), "only what came after")
	require.Empty(t, visited(t, db, 1, g.ID+1, 0))

	var progress vecstore.Embedded
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
		progress, err = vecstore.EmbeddedInAll(ctx, s, g.ID)
		return err
	}))
	require.EqualValues(t, 6, progress.Chunks)
	require.EqualValues(t, 1, progress.Pending)
	require.False(t, progress.Since.IsZero())
}

func TestVectorsByIDAreReadInTheOrderAskedFor(t *testing.T) {
	pgtest.FileOnly(t, "ids of its own, and a damaged vector")
	db := memtest.Open(t)
	g := generation(t, db, "m", 2)
	for i := range 3 {
		_, err := memtest.Say(t.Context(), db, ada, fmt.Sprintf("message %d", i))
		require.NoError(t, err)
	}
	for i, c := range pending(t, db, g.ID) {
		_, err := insert(t, db, g.ID, vecstore.ChunkVector{ChunkID: c.ID, MemoryID: c.MemoryID, Vector: vecstore.Vector{float32(i & 1), float32(1 - i&1)}})
		require.NoError(t, err)
	}
	ids := []int64{3, 99, 1, 2}
	read := func(ctx context.Context, visit func(int64, vecstore.Vector) error) error {
		return db.Read(t.Context(), func(_ context.Context, s *schema.Snapshot) error { return vecstore.VectorsByID(ctx, s, ids, visit) })
	}
	var found []int64
	require.NoError(t, read(t.Context(), func(id int64, v vecstore.Vector) error {
		require.Equal(t, vecstore.Vector{float32((id - 1) & 1), float32(id & 1)}, v)
		found = append(found, id)
		return nil
	}))
	require.Equal(t, []int64{3, 1, 2}, found, "what is not there is left out")

	refused := errors.New("no more")
	require.ErrorIs(t, read(t.Context(), func(int64, vecstore.Vector) error { return refused }), refused)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, read(ctx, func(int64, vecstore.Vector) error { return nil }), "what was not read is not left out")
	memtest.Spoil(t, db.Path(), "UPDATE vectors SET vector = x'010203' WHERE id = 3")
	require.ErrorContains(t, read(t.Context(), func(int64, vecstore.Vector) error { return nil }), "a BLOB of 3 bytes")
}

func TestInsertVectorsRefuses(t *testing.T) {
	db := memtest.Open(t)
	_, err := memtest.Say(t.Context(), db, ada, "hello")
	require.NoError(t, err)
	g := generation(t, db, "m", 2)
	c := pending(t, db, g.ID)[0]
	nan := float32(math.NaN())
	for _, v := range []vecstore.Vector{nil, {1}, {1, 0, 0}, {0, 0}, {nan, 1}, {float32(math.Inf(1)), 0}, {3, 4}} {
		_, err := insert(t, db, g.ID, vecstore.ChunkVector{ChunkID: c.ID, MemoryID: c.MemoryID, Vector: v})
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid, "%v", v)
	}
	good := vecstore.ChunkVector{ChunkID: c.ID, MemoryID: c.MemoryID, Vector: vecstore.Vector{.6, .8}}
	_, err = insert(t, db, g.ID+7, good)
	require.ErrorIs(t, err, schema.ErrNotFound)
	for name, v := range map[string]vecstore.ChunkVector{
		"another memory's chunk": {ChunkID: c.ID, MemoryID: c.MemoryID + 1, Vector: good.Vector},
		"a chunk that is gone":   {ChunkID: c.ID + 1, MemoryID: c.MemoryID, Vector: good.Vector},
	} {
		n, err := insert(t, db, g.ID, v)
		require.NoError(t, err, name)
		require.Zero(t, n, name)
	}
	for _, want := range []int{1, 0} { // a second time changes nothing
		n, err := insert(t, db, g.ID, good)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
}

func TestGenerationsFollowEachOther(t *testing.T) {
	db := memtest.Open(t)
	for i := range 5 {
		_, err := memtest.Say(t.Context(), db, ada, fmt.Sprintf("message %d", i))
		require.NoError(t, err)
	}
	old := generation(t, db, "old", 2)
	for _, c := range pending(t, db, old.ID) {
		_, err := insert(t, db, old.ID, vecstore.ChunkVector{ChunkID: c.ID, MemoryID: c.MemoryID, Vector: vecstore.Vector{1, 0}})
		require.NoError(t, err)
	}
	abandoned := generation(t, db, "abandoned", 2)
	require.Equal(t, vecstore.GenerationBuilding, abandoned.State)
	next := generation(t, db, "new", 3)
	require.Equal(t, vecstore.GenerationBuilding, next.State)
	require.Equal(t, next.ID, generation(t, db, "new", 3).ID, "found again")
	_, err := insert(t, db, abandoned.ID, vecstore.ChunkVector{})
	require.ErrorIs(t, err, schema.ErrNotFound, "only one is built")

	serving := func() (g *vecstore.Generation) {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) (err error) {
			g, err = vecstore.ServingGeneration(ctx, s)
			return err
		}))
		return g
	}
	require.Equal(t, "old", serving().Model)
	for range 2 {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			return vecstore.ActivateGeneration(ctx, tx, next.ID)
		}))
		require.Equal(t, "new", serving().Model)
		require.False(t, serving().ActivatedAt.IsZero())
	}
	require.ErrorIs(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return vecstore.ActivateGeneration(ctx, tx, old.ID)
	}), schema.ErrNotFound)

	steps := 0
	for more := true; more; steps++ {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
			more, err = vecstore.DropRetired(ctx, tx, 2)
			return err
		}))
	}
	require.Equal(t, 3, steps)
	require.Empty(t, visited(t, db, 1, old.ID, 0))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		left, err := vecstore.Generations(ctx, s)
		require.Len(t, left, 1)
		return err
	}))
}

func TestOpenGenerationRefuses(t *testing.T) {
	db := memtest.Open(t)
	for _, c := range []struct {
		model string
		dims  int
	}{{"", 2}, {"m", 0}, {"m\x00", 2}} {
		var invalid *schema.InvalidError
		require.ErrorAs(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			_, err := vecstore.OpenGeneration(ctx, tx, c.model, c.dims)
			return err
		}), &invalid)
	}
}
