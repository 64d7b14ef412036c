package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/engine"
)

// With several schemas in search_path, two memories would share the tables of one of them.
func TestOpenWantsOneSchema(t *testing.T) {
	const dsn = "postgres://ebb@127.0.0.1:1/memory?"
	var invalid *engine.InvalidError
	for _, setting := range []string{
		"search_path=tenant_a,public", "search_path=tenant_a%2C+public", "search_path=%22$user%22", `search_path=%22a%22`, "search_path=Mine",
		"options=-c%20search_path%3Dtenant_a",
	} {
		_, err := Open(t.Context(), dsn+setting, engine.Config{})
		require.ErrorAs(t, err, &invalid, setting)
		require.ErrorContains(t, err, "name one schema", setting)
	}
	for _, setting := range []string{"", "search_path=tenant_a", "options=-c%20work_mem%3D8MB"} {
		_, err := Open(t.Context(), dsn+setting, engine.Config{})
		require.Error(t, err, "there is no server")
		require.NotErrorAs(t, err, &invalid, setting)
	}
}
