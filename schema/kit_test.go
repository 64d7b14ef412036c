package schema_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// openPath opens a file that is closed at the end of the test.
func openPath(t testing.TB, path string, o *schema.Options) *schema.DB {
	t.Helper()
	db, err := schema.Open(t.Context(), path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func open(t testing.TB) *schema.DB {
	t.Helper()
	return openPath(t, filepath.Join(t.TempDir(), "memory.db"), nil)
}

var ada = schema.Scope{Tenant: "acme", User: "ada", Session: "s1"}
