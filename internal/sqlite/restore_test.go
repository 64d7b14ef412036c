package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/files"
)

// A restore that fails leaves the old file and its log in place, without hard links too.
func TestSwapFailsWhole(t *testing.T) {
	for _, links := range []bool{true, false} {
		if !links {
			files.WithoutLinks(t)
		}
		target := filepath.Join(t.TempDir(), "memory.db")
		for _, suffix := range []string{"", "-wal"} {
			require.NoError(t, os.WriteFile(target+suffix, []byte("old"), 0o600))
		}
		_, err := swap(target+".none", target)
		require.ErrorIs(t, err, os.ErrNotExist)
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(target + suffix)
			require.NoError(t, err)
			require.Equal(t, "old", string(content))
		}
		left, err := filepath.Glob(target + ".*")
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
