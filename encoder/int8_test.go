package encoder

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Both kernels compute the same bits, at the ends of the ranges too.
func TestByteTilesAreAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, depth := range []int{2, 38, 1536} {
		a, b := make([]int16, tileRows*depth), make([]int8, depth*tileBytes)
		reach := int(newBytePanels(depth, 1).reach())
		for i := range a {
			if a[i] = int16(random.IntN(2*reach+1) - reach); i < depth {
				a[i] = int16(reach) // the greatest sum
			}
		}
		for i := range b {
			if b[i] = int8(random.IntN(255) - 127); i%(2*tileBytes) < 2 {
				b[i] = -127
			}
		}
		scales, bias, rowScales := make([]float32, tileBytes), make([]float32, tileBytes), make([]float32, tileRows)
		for _, s := range [][]float32{scales, bias, rowScales} {
			for i := range s {
				s[i] = random.Float32() - 0.5
			}
		}
		const stride = tileBytes + 3
		got, want := make([]float32, tileRows*stride), make([]float32, tileRows*stride)
		byteTile(got, stride, a, depth, b, scales, bias, rowScales)
		byteTilePlain(want, stride, a, depth, b, scales, bias, rowScales)
		require.Equal(t, want, got)
		sum := float32(-127 * reach * depth)
		require.InEpsilon(t, sum*scales[0]*rowScales[0]+bias[0], got[0], 1e-5, "no overflow")
	}
}

// Products are those of the definition with rounded weights.
func TestByteProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ rows, depth, cols, workers int }{
		{1, 1, 1, 1}, {4, 10, 16, 1}, {5, 257, 17, 3}, {3, 600, 100, 2}, {9, 256, 48, 4}, {2, 7, 31, 2},
	} {
		rows := roundUp(c.rows, tileRows)
		in, bias := make([]float32, rows*c.depth), make([]float32, roundUp(c.cols, tileBytes))
		for i := range in {
			in[i] = float32(random.NormFloat64())
		}
		clear(in[:c.depth]) // a row without a scale
		p, weights := newBytePanels(c.depth, c.cols), make([][]float32, c.cols)
		for col := range c.cols {
			bias[col] = random.Float32()
			weights[col] = make([]float32, c.depth)
			for i := range weights[col] {
				weights[col][i] = float32(random.NormFloat64() * math.Exp(float64(col%9))) // each column needs its own scale
			}
			p.setColumn(col, weights[col], 0.5)
		}
		out := make([]float32, rows*c.cols)
		p.multiplyWith(c.workers, out, in, rows, bias, new(wordBuffer))
		for row := range c.rows {
			for col := range c.cols {
				factor, step := steps(weights[col], 127)
				want, size := float64(bias[col]), 0.
				for i, x := range in[row*c.depth:][:c.depth] {
					w := 0.5 * math.RoundToEven(float64(weights[col][i]*factor)) * float64(step)
					want += float64(x) * w
					size += math.Abs(w)
				}
				require.InDelta(t, want, out[row*c.cols+col], 1e-4*(1+size), "%v row %d col %d", c, row, col)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	factor, inverse := steps([]float32{1, -4, 3}, 127)
	require.Equal(t, []float32{127. / 4, 4. / 127}, []float32{factor, inverse})
	require.EqualValues(t, -127, round(-4, factor))
	require.EqualValues(t, 95, round(3, factor))
	for _, values := range [][]float32{nil, {0, 0}, {0, math.SmallestNonzeroFloat32}, {1e-38}} {
		factor, inverse = steps(values, 127)
		require.Zero(t, factor)
		require.Zero(t, inverse)
	}
	_, inverse = steps([]float32{1, nan}, 127)
	require.True(t, inverse != inverse)
	_, inverse = steps([]float32{1, inf}, 127)
	require.True(t, math.IsInf(float64(inverse), 1))
}

func TestInt8(t *testing.T) {
	for _, name := range []string{"bert", "xlm-roberta"} {
		dir := filepath.Join("testdata", name)
		full, err := Open(dir)
		require.NoError(t, err)
		e, err := Open(dir, Int8())
		require.NoError(t, err)
		require.Equal(t, full.ID()+"-int8", e.ID(), "vectors of both are not compared")
		least := 1.
		for _, r := range readReference(t, filepath.Join(dir, "reference.jsonl")) {
			vectors, err := e.EmbedDocuments(t.Context(), []string{r.Text})
			require.NoError(t, err)
			least = min(least, cosine(r.Vector, vectors[0]))
		}
		t.Logf("%s: least cosine %.5f", name, least)
		require.Greater(t, least, 0.999, name)
		require.Less(t, least, 0.999999, "the weights are not rounded")
	}
	_, err := Open("testdata/static", Int8())
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
	require.ErrorContains(t, err, "int8")
}
