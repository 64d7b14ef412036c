package vector

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		a := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "b")
		var want float64
		for i := range a {
			want += float64(a[i]) * float64(b[i])
		}
		require.InDelta(t, want, Dot(a, b), 1e-5)
	})
}
