package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is plain is folded in one pass to what the passes over Unicode give.
func TestFoldASCIIEqualsUnicode(t *testing.T) {
	var all strings.Builder
	for c := range rune(128) {
		all.WriteRune(c)
		all.WriteString("x")
	}
	require.Equal(t, foldOnce(all.String()), foldASCII(all.String()))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.ByteMax(127)).Draw(t, "s"))
		require.Equal(t, foldOnce(foldOnce(s)), Fold(s))
	})
}
