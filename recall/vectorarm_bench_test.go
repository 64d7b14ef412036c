package recall

import (
	"context"
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/recall/vector"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

var (
	armVectors = flag.String("arm-vectors", "", "a file of vectors for BenchmarkVectorArm: their length, then the numbers, four bytes each, little-endian; default dense clusters of 2,000")
	armQueries = flag.String("arm-queries", "", "a file of queries of the same form")
)

// BenchmarkVectorArm asks the vector arm and a plain scan for the same ten
// best, in turn, on one core.
//
//	go test ./recall -run - -bench VectorArm$ -benchtime 1x
func BenchmarkVectorArm(b *testing.B) {
	var vectors, queries [][]float32
	if *armVectors != "" {
		vectors, queries = rawVectors(b, *armVectors), rawVectors(b, *armQueries)
	} else {
		all := vectortest.Clustered(rand.New(rand.NewPCG(1, 2)), 50, 2002, 256)
		queries, vectors = all[:100], all[100:]
	}
	set := vectorSetOf(b, vectors, min(defaultExact, len(vectors)/2))
	dims := len(vectors[0])
	flat := make([]float32, 0, dims*len(vectors))
	for _, v := range vectors {
		flat = append(flat, v...)
	}
	var arm, scan []time.Duration
	var recall float64
	db := open(b)
	fill(b, db, len(vectors))
	embedTurns(b, db, vectors)
	require.NoError(b, db.Read(b.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		read := func(ids []int64, visit func(int64, vecstore.Vector) error) error {
			return vecstore.VectorsByID(ctx, s, ids, visit)
		}
		for b.Loop() {
			for _, q := range queries {
				began := time.Now()
				query := set.vectors.Query(q)
				got, _, err := query.Search(4*armDepth, defaultRescored, set.reader(read))
				query.Release()
				arm = append(arm, time.Since(began))
				require.NoError(b, err)
				began = time.Now()
				want := plainScan(flat, q, 10)
				scan = append(scan, time.Since(began))
				recall += vectortest.Overlap(places(got[:10]), places(want))
			}
		}
		return nil
	}))
	median := func(took []time.Duration) float64 {
		slices.Sort(took)
		return float64(took[len(took)/2].Nanoseconds())
	}
	b.ReportMetric(float64(len(vectors)), "vectors")
	b.ReportMetric(median(arm), "arm-p50-ns")
	b.ReportMetric(median(scan), "scan-p50-ns")
	b.ReportMetric(median(scan)/median(arm), "scan/arm")
	b.ReportMetric(recall/float64(len(arm)), "recall@10")
}

func vectorSetOf(b *testing.B, vectors [][]float32, exact int) *vectorSet {
	set := newVectorSet(&vecstore.Generation{ID: 1, Dims: len(vectors[0])}, exact)
	for i, v := range vectors {
		require.NoError(b, set.add(vecstore.ChunkVector{ID: int64(i + 1), MemoryID: int64(i/2 + 1), Vector: v}))
	}
	return set
}

func places(matches []vector.Match) []uint32 {
	out := make([]uint32, len(matches))
	for i, m := range matches {
		out[i] = m.Place
	}
	return out
}

// plainScan is what one would write first: every vector, number by number, and
// the n best kept in order.
func plainScan(flat, query []float32, n int) []vector.Match {
	best := make([]vector.Match, 0, n+1)
	for at := 0; at*len(query) < len(flat); at++ {
		v := flat[at*len(query) : (at+1)*len(query)]
		var c float32
		for i, x := range v {
			c += x * query[i]
		}
		if len(best) == n && c <= best[n-1].Cosine {
			continue
		}
		place, _ := slices.BinarySearchFunc(best, c, func(b vector.Match, c float32) int {
			if b.Cosine >= c {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, place, vector.Match{Place: uint32(at), Cosine: c})
		best = best[:min(n, len(best))]
	}
	return best
}

// rawVectors reads what the benchmarks' module wrote.
func rawVectors(b *testing.B, path string) [][]float32 {
	raw, err := os.ReadFile(path)
	require.NoError(b, err)
	dims := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	all := make([][]float32, len(raw)/(4*dims))
	for i := range all {
		all[i] = make([]float32, dims)
		for j := range dims {
			all[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*(i*dims+j):]))
		}
	}
	return all
}
