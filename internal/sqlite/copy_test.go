package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func TestCopyIsComplete(t *testing.T) {
	db := open(t)
	m := memtest.Remember(t, db, ada, schema.Memory{Content: "Ada lives in Lisbon"})
	path := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, db.CopyTo(t.Context(), path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	copied := openPath(t, path, nil)
	require.Equal(t, m.Content, memtest.Reread(t, copied, m).Content)
	require.NoError(t, copied.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var found int
		err := s.Row(ctx, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'lisbon'", nil, &found)
		require.Equal(t, 1, found)
		return err
	}))
	memtest.Remember(t, copied, ada, schema.Memory{Content: "Ada likes tea"}) // and it can be written

	var invalid *schema.InvalidError
	require.ErrorAs(t, db.CopyTo(t.Context(), path), &invalid)
	require.Equal(t, "path", invalid.Field)
}

func TestPartialCopyIsRemoved(t *testing.T) {
	db := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "copy.db")
	require.Error(t, db.CopyTo(ctx, path))
	require.NoFileExists(t, path)
}
