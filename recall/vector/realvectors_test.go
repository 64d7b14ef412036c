package vector

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/vectortest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

var realVectors = flag.String("vectors", "", "a folder that benchmarks/embedder has kept (--keep); absolute")

// BenchmarkCodesOfRealVectors reports the recall of codes against exact
// comparison, on vectors of a real encoder and of real questions: as they are,
// and eight copies of each with noise.
//
//	go test ./recall/vector -run - -bench CodesOfRealVectors -benchtime 1x -vectors FOLDER
func BenchmarkCodesOfRealVectors(b *testing.B) {
	if *realVectors == "" {
		b.Skip("needs -vectors")
	}
	vectors, questions := readVectors(b, *realVectors)
	for _, c := range []struct {
		copies   int
		noise    float64
		rescored int
	}{
		{1, 0, rescored},
		{1, 0, rescored / 8}, // the same share as 1,500 of eight times as many vectors
		{8, 0.3, rescored},
		{8, 0.6, rescored},
	} {
		all := perturbed(vectors, c.copies, c.noise)
		b.Run(fmt.Sprintf("%d×%.1f/%d rescored", c.copies, c.noise, c.rescored), func(b *testing.B) {
			set, exact := setOf(all, min(50_000, len(all)/2)), setOf(all, len(all))
			require.NotNil(b, set.codes)
			require.Nil(b, exact.codes)
			var ten, hundred float64
			for b.Loop() {
				ten, hundred = 0, 0
				for _, q := range questions {
					want, _, _ := exact.Query(q).Search(100, 0, nil)
					got, _, _ := set.Query(q).Search(100, c.rescored, readFrom(all))
					ten += vectortest.Overlap(places(got, 10), places(want, 10)) / float64(len(questions))
					hundred += vectortest.Overlap(places(got, 100), places(want, 100)) / float64(len(questions))
				}
			}
			b.ReportMetric(float64(len(all)), "vectors")
			b.ReportMetric(float64(len(questions)), "questions")
			b.ReportMetric(ten, "recall@10")
			b.ReportMetric(hundred, "recall@100")
		})
	}
}

// places of the first n matches.
func places(matches []Match, n int) []uint32 {
	out := make([]uint32, n)
	for i, m := range matches[:n] {
		out[i] = m.Place
	}
	return out
}

// perturbed returns copies of all vectors, one pass after another, each with
// noise of the given length added.
func perturbed(vectors [][]float32, copies int, noise float64) [][]float32 {
	if noise == 0 {
		return vectors
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := make([][]float32, 0, copies*len(vectors))
	for range copies {
		for _, v := range vectors {
			other := make([]float32, len(v))
			for i, x := range v {
				other[i] = x + float32(random.NormFloat64()*noise/math.Sqrt(float64(len(v))))
			}
			vectortest.Normalize(other)
			all = append(all, other)
		}
	}
	return all
}

// readVectors reads the vectors of every memory in the folder, all users
// together, and those of the questions beside them.
func readVectors(b *testing.B, dir string) (vectors, questions [][]float32) {
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	require.NoError(b, err)
	require.NotEmpty(b, files, "no memories in %s", dir)
	for _, file := range files {
		db, err := schema.Open(b.Context(), file, &schema.Options{ReadOnly: true})
		require.NoError(b, err)
		err = db.Read(b.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			g, err := vecstore.ServingGeneration(ctx, s)
			if err != nil {
				return err
			}
			users, err := vecstore.LastChunks(ctx, s)
			if err != nil {
				return err
			}
			for _, user := range slices.Sorted(maps.Keys(users)) {
				err := vecstore.VectorsAfter(ctx, s, user, g.ID, 0, func(v vecstore.ChunkVector) error {
					vectors = append(vectors, slices.Clone(v.Vector))
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(b, err)
		require.NoError(b, db.Close())
		raw, err := os.ReadFile(strings.TrimSuffix(file, ".db") + ".questions.json")
		require.NoError(b, err)
		var asked [][]float32
		require.NoError(b, json.Unmarshal(raw, &asked))
		for _, q := range asked {
			vectortest.Normalize(q)
			questions = append(questions, q)
		}
	}
	return vectors, questions
}
