package recall

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

	"github.com/ebbmem/ebb/schema"
)

var realVectors = flag.String("vectors", "", "a folder that benchmarks/embedder has kept (--keep); absolute")

// BenchmarkCodesOfRealVectors reports what the sign codes find of what
// comparing all finds, on vectors of a real encoder and of real questions: as
// they are, and each eight times over with noise of a share of its length.
//
//	go test ./recall -run - -bench CodesOfRealVectors -benchtime 1x -vectors FOLDER
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
		{1, 0, defaultRescored},
		{1, 0, defaultRescored / 8}, // as large a share as of eight times as many
		{8, 0.3, defaultRescored},
		{8, 0.6, defaultRescored},
	} {
		all := perturbed(vectors, c.copies, c.noise)
		b.Run(fmt.Sprintf("%d×%.1f/%d rescored", c.copies, c.noise, c.rescored), func(b *testing.B) {
			set, exact := setOf(all, min(defaultExact, len(all)/2)), setOf(all, len(all))
			require.NotNil(b, set.codes)
			require.Nil(b, exact.codes)
			var ten, hundred float64
			for b.Loop() {
				ten, hundred = 0, 0
				for _, q := range questions {
					want, _, _ := exact.compare(q).search(100, 0, nil)
					got, _, _ := set.compare(q).search(100, c.rescored, readFrom(all))
					ten += shared(got, want, 10) / float64(len(questions))
					hundred += shared(got, want, 100) / float64(len(questions))
				}
			}
			b.ReportMetric(float64(len(all)), "vectors")
			b.ReportMetric(float64(len(questions)), "questions")
			b.ReportMetric(ten, "recall@10")
			b.ReportMetric(hundred, "recall@100")
		})
	}
}

// shared is how much of the first n wanted is among the first n found.
func shared(got, want []near, n int) float64 {
	found := make(map[uint32]bool, n)
	for _, g := range got[:n] {
		found[g.at] = true
	}
	hits := 0
	for _, w := range want[:n] {
		if found[w.at] {
			hits++
		}
	}
	return float64(hits) / float64(n)
}

// perturbed is each vector so many times, noise of that length added to it,
// pass after pass.
func perturbed(vectors []schema.Vector, copies int, noise float64) []schema.Vector {
	if noise == 0 {
		return vectors
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]schema.Vector, 0, copies*len(vectors))
	for range copies {
		for _, v := range vectors {
			other := make(schema.Vector, len(v))
			for i, x := range v {
				other[i] = x + float32(random.NormFloat64()*noise/math.Sqrt(float64(len(v))))
			}
			unit, _ := other.Unit(0)
			all = append(all, unit)
		}
	}
	return all
}

// readVectors reads the vectors of every memory in the folder, all users
// together, and those of the questions beside them.
func readVectors(b *testing.B, dir string) (vectors, questions []schema.Vector) {
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	require.NoError(b, err)
	require.NotEmpty(b, files, "no memories in %s", dir)
	for _, file := range files {
		db, err := schema.Open(b.Context(), file, &schema.Options{ReadOnly: true})
		require.NoError(b, err)
		err = db.Read(b.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			g, err := s.ServingGeneration(ctx)
			if err != nil {
				return err
			}
			users, err := s.LastChunks(ctx)
			if err != nil {
				return err
			}
			for _, user := range slices.Sorted(maps.Keys(users)) {
				err := s.VectorsAfter(ctx, user, g.ID, 0, func(v schema.ChunkVector) error {
					vectors = append(vectors, append(schema.Vector(nil), v.Vector...))
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
		var asked []schema.Vector
		require.NoError(b, json.Unmarshal(raw, &asked))
		for _, q := range asked {
			unit, err := q.Unit(0)
			require.NoError(b, err)
			questions = append(questions, unit)
		}
	}
	return vectors, questions
}
