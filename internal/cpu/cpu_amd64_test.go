//go:build !purego

package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

func TestFeaturesMatchStandard(t *testing.T) {
	require.Equal(t, cpu.X86.HasAVX2, AVX2)
	require.Equal(t, cpu.X86.HasFMA, FMA)
}
