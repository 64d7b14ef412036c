package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that lacks the engine of a server is told which import it needs.
func TestMissingEngineNamesItsImport(t *testing.T) {
	require.True(t, IsServer("postgres://host/memory"))
	require.False(t, IsServer("./postgres:/memory.db"))
	_, err := Open(t.Context(), "postgres://host/memory", Config{})
	require.ErrorContains(t, err, `add import _ "github.com/ebbmem/ebb/postgres"`)
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
}
