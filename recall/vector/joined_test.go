package vector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/vectortest"
)

// A sum is as far above the usual as its own vector would be if cosines were
// counted from the mean.
func TestJoined(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	vectors := vectortest.Clustered(random, 5, 20, 96)
	query := vectors[7]
	for name, c := range map[string]struct {
		exact int
		delta float64
	}{"vectors": {100, 1e-5}, "codes": {10, 0.3}} {
		t.Run(name, func(t *testing.T) {
			set := NewSet(96, c.exact)
			for _, v := range vectors {
				set.Add(v)
			}
			usual := Distribution{Mean: 0.2, Deviation: 0.1}
			for range 50 {
				shares := []float64{1, random.Float64(), random.Float64()}
				var parts []Part
				sum, above := make([]float32, 96), 0.0
				for _, share := range shares {
					place := random.IntN(len(vectors))
					cosine := Dot(query, vectors[place])
					parts = append(parts, Part{Match{uint32(place), cosine}, share})
					above += share * (float64(cosine) - usual.Mean)
					for i, x := range vectors[place] {
						sum[i] += float32(share) * x
					}
				}
				length := math.Sqrt(float64(Dot(sum, sum)))
				require.InDelta(t, above/length/usual.Deviation, set.Joined(usual, parts), c.delta)
			}
			one := []Part{{Match{3, 0.5}, 1}}
			require.InDelta(t, 3, set.Joined(usual, one), 0.1)
		})
	}
}

// The opposite of a vector leaves nothing of it, and no infinity.
func TestJoinedOpposites(t *testing.T) {
	set := NewSet(2, 10)
	set.Add([]float32{1, 0})
	set.Add([]float32{-1, 0})
	got := set.Joined(Distribution{Mean: 0, Deviation: 0.1}, []Part{{Match{0, 0.5}, 1}, {Match{1, -0.5}, 1}})
	require.Zero(t, got)
}

func TestCosineOfCodes(t *testing.T) {
	vectors := vectortest.Clustered(rand.New(rand.NewPCG(3, 4)), 4, 30, 100)
	set := NewSet(100, 20)
	for _, v := range vectors {
		set.Add(v)
	}
	for i := range vectors {
		for j := range vectors {
			require.InDelta(t, Dot(vectors[i], vectors[j]), set.Cosine(i, j), 0.05)
		}
	}
}

func BenchmarkCosineOfCodes(b *testing.B) {
	vectors := vectortest.Clustered(rand.New(rand.NewPCG(3, 4)), 4, 30, 384)
	set := NewSet(384, 20)
	for _, v := range vectors {
		set.Add(v)
	}
	for i := 0; b.Loop(); i++ {
		set.Cosine(i%100, (i+1)%100)
	}
}
