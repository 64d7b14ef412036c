package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Without the import of an engine, Open names the import that is missing.
func TestMissingEngineNamesItsImport(t *testing.T) {
	require.True(t, IsServer("postgres://host/memory"))
	require.False(t, IsServer("./postgres:/memory.db"))
	_, err := Open(t.Context(), "postgres://host/memory", Config{})
	require.ErrorContains(t, err, `add import _ "github.com/ebbmem/ebb/postgres"`)
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
}
