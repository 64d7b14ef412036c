package tools

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpeaksOf(t *testing.T) {
	for said, speaks := range map[string]bool{
		"Tagged 0.4.": true, "0.4": true, "v0.4, at last": true, "0.4.2, then 0.4": true, "of 0.4...": true,
		"Tagged 0.4.2": false, "10.4 euro": false, "1.0.4": false, "0.40": false, "": false,
	} {
		require.Equal(t, speaks, speaksOf(said, "0.4"), said)
	}
}
