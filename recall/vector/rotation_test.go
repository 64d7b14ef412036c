package vector

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHadamardKeepsAngles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float32Range(-1, 1), 64, 64).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float32Range(-1, 1), 64, 64).Draw(t, "y")
		before := Dot(x, y)
		hadamard(x)
		hadamard(y)
		require.InDelta(t, before, Dot(x, y)/64, 1e-3)
	})
}
