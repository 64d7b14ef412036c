package encoder

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Products are those of the definition, with the kernels in assembly and
// without, for sizes on both sides of whole tiles and passes.
func TestProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fill := func(n int) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = random.Float32() - 0.5
		}
		return values
	}
	for _, c := range []struct{ rows, depth, cols, workers int }{
		{1, 1, 1, 1}, {4, 10, 24, 1}, {5, 257, 25, 3}, {3, 600, 100, 2}, {9, 256, 48, 4}, {2, 7, 23, 2},
	} {
		strideA, strideOut := c.depth+3, c.cols+5
		a, b := fill(roundUp(c.rows, tileRows)*strideA), fill(c.depth*c.cols)
		bias := make([]float32, roundUp(c.cols, tileCols))
		copy(bias, fill(c.cols))
		p := newPanels(c.depth, c.cols, nil)
		for i, x := range b {
			p.set(i/c.cols, i%c.cols, x)
		}
		out := make([]float32, roundUp(c.rows, tileRows)*strideOut)
		const untouched = -7
		for i := range out {
			out[i] = untouched
		}
		p.multiplyWith(c.workers, out, strideOut, a, strideA, c.rows, bias)
		for row := range c.rows {
			for col := range strideOut {
				want := float64(untouched)
				if col < c.cols {
					want = float64(bias[col])
					for i := range c.depth {
						want += float64(a[row*strideA+i]) * float64(b[i*c.cols+col])
					}
				}
				require.InDelta(t, want, out[row*strideOut+col], 1e-4, "%v row %d col %d", c, row, col)
			}
		}
	}
}

func TestTilesAreAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const depth = 37
	a, b, start := make([]float32, tileRows*depth), make([]float32, depth*tileCols), make([]float32, tileRows*tileCols)
	for _, s := range [][]float32{a, b, start} {
		for i := range s {
			s[i] = random.Float32() - 0.5
		}
	}
	for _, strideStart := range []int{0, tileCols} {
		got, want := make([]float32, tileRows*tileCols), make([]float32, tileRows*tileCols)
		tile(got, tileCols, start, strideStart, a, depth, b, depth)
		tilePlain(want, tileCols, start, strideStart, a, depth, b, depth)
		require.InDeltaSlice(t, want, got, 1e-5)
	}
}

func TestActivations(t *testing.T) {
	for x := -12.; x < 12; x += 0.0173 {
		values := []float32{float32(x)}
		gelu(values)
		require.InDelta(t, x/2*(1+math.Erf(x/math.Sqrt2)), values[0], 2e-6)
		values[0] = float32(x)
		geluTanh(values)
		require.InDelta(t, x/2*(1+math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))), values[0], 2e-6)
	}
	values := []float32{-1, 2, float32(math.NaN())}
	relu(values)
	require.Equal(t, []float32{0, 2}, values[:2])
	gelu(values)
	require.True(t, values[2] != values[2])
}

func TestExp(t *testing.T) {
	for x := float32(-86.9); x <= 0; x += 0.0171 {
		require.InEpsilon(t, math.Exp(float64(x)), exp(x), 8e-6, "%v", x)
	}
	require.InEpsilon(t, 1, exp(0), 1e-7)
	require.Zero(t, exp(-88))
	require.Zero(t, exp(float32(math.Inf(-1))))
	require.True(t, math.IsNaN(float64(exp(float32(math.NaN())))))
}
