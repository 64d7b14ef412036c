package vector

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrimFreesUnusedRoom(t *testing.T) {
	for name, exact := range map[string]int{"vectors": 100, "codes": 10} {
		t.Run(name, func(t *testing.T) {
			const added, expected = 20, 4096
			set := NewSet(8, exact)
			set.Reserve(expected)
			for range added {
				set.Add(make([]float32, 8))
			}
			set.Trim()
			require.Equal(t, added, set.Len())
			require.Less(t, cap(set.numbers), expected/2)
			if exact < added {
				require.Less(t, cap(set.codes.signs), expected/2)
				require.Less(t, cap(set.codes.low), expected/2)
				require.Less(t, cap(set.codes.scales), expected/2)
			}
		})
	}
}
