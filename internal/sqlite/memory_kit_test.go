package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/schema"
)

// The test binary is also the other process: with EBB_BACKUP set it makes a backup until
// it is killed.
func TestMain(m *testing.M) {
	if target := os.Getenv("EBB_BACKUP"); target != "" {
		backUpUntilKilled(os.Getenv("EBB_SOURCE"), target)
		return
	}
	goleak.VerifyTestMain(m)
}

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

// memories counts all of a file.
func memories(t *testing.T, db *schema.DB) (n int) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT count(*) FROM memories", nil, &n)
	}))
	return n
}
