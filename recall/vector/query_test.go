package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/vectortest"
)

// rescored is the default of recall's VectorOptions.
const rescored = 1500

func setOf(vectors [][]float32, exact int) *Set {
	s := NewSet(len(vectors[0]), exact)
	for _, v := range vectors {
		s.Add(v)
	}
	return s
}

// readFrom reads from vectors in place of a database.
func readFrom(vectors [][]float32) Reader {
	return func(places []uint32, visit func(int, []float32)) error {
		for i, at := range places {
			visit(i, vectors[at])
		}
		return nil
	}
}

func TestTopEqualsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cosines := rapid.SliceOf(rapid.Map(rapid.IntRange(-9, 9), func(i int) float32 { return float32(i) / 9 })).Draw(t, "cosines")
		depth := rapid.IntRange(1, 10).Draw(t, "depth")
		var all []Match
		for at, c := range cosines {
			all = append(all, Match{uint32(at), c})
		}
		slices.SortFunc(all, compareMatches)
		require.Equal(t, append([]Match{}, all[:min(depth, len(all))]...), Top(cosines, depth))
	})
}

func TestCodesFindTheNearest(t *testing.T) {
	racing.Alone(t) // too few vectors for a second goroutine
	for _, c := range []struct{ clusters, each, dims int }{
		{400, 15, 256}, {12, 500, 256}, {4, 2000, 256}, {4, 2000, 100},
	} {
		t.Run(fmt.Sprintf("%d a cluster, %d dims", c.each, c.dims), func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, uint64(c.each)))
			vectors := vectortest.Clustered(random, c.clusters, c.each+10, c.dims)
			queries, vectors := vectors[:40], vectors[40:]
			set, exact := setOf(vectors, 1000), setOf(vectors, len(vectors))
			require.NotNil(t, set.codes)
			require.Nil(t, exact.codes)
			found := 0
			for _, q := range queries {
				want, _, err := exact.Query(q).Search(10, 0, nil)
				require.NoError(t, err)
				got, sampled, err := set.Query(q).Search(10, rescored, readFrom(vectors))
				require.NoError(t, err)
				for _, m := range want {
					if slices.Contains(got[:10], m) {
						found++
					}
				}
				all := DistributionOf(exact.Query(q).Cosines())
				require.InDelta(t, all.Mean, sampled.Mean, 0.05)
				require.InDelta(t, all.Deviation, sampled.Deviation, 0.05)
			}
			recall := float64(found) / float64(10*len(queries))
			t.Logf("recall@10 %.3f", recall)
			require.GreaterOrEqual(t, recall, 0.95)
		})
	}
}

func TestEstimatedCosinesAreClose(t *testing.T) {
	for _, dims := range []int{10, 100, 256, 512} {
		vectors := vectortest.Clustered(rand.New(rand.NewPCG(5, uint64(dims))), 4, 60, dims)
		set := setOf(vectors, 100)
		var squares, n float64
		for _, q := range vectors[:20] {
			query := set.Query(q)
			for at, v := range vectors {
				error := float64(query.Cosine(at) - Dot(q, v))
				squares += error * error
				n++
			}
		}
		off := math.Sqrt(squares / n)
		t.Logf("%d dims: off by %.4f", dims, off)
		require.Less(t, off, 0.05/math.Sqrt(float64(dims)))
	}
}

func BenchmarkVectors(b *testing.B) {
	const n, dims = 100_000, 256
	vectors := vectortest.Clustered(rand.New(rand.NewPCG(1, 2)), 200, n/200, dims)
	exact, codes := setOf(vectors, n), setOf(vectors, n/2)
	for _, c := range []struct {
		name     string
		set      *Set
		rescored int
	}{{"exact", exact, 0}, {"codes", codes, rescored}} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, _, err := c.set.Query(vectors[i%n]).Search(200, c.rescored, readFrom(vectors)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A similarity does not depend on the order in which vectors were made.
func TestDistributionIsOfAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	cosines := make([]float32, 500)
	for i := range cosines {
		cosines[i] = 2*random.Float32() - 1
	}
	want := DistributionOf(cosines)
	for range 50 {
		random.Shuffle(len(cosines), func(i, j int) { cosines[i], cosines[j] = cosines[j], cosines[i] })
		require.Equal(t, want, DistributionOf(cosines))
	}
}
