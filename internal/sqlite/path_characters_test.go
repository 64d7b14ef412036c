package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestPathsWithSpecialCharacters(t *testing.T) {
	for _, name := range []string{"my memory", "a+b", "100% of #1?", "é & 名"} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, name+".db")
		for _, readOnly := range []bool{false, true} {
			db, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: readOnly})
			require.NoError(t, err, path)
			require.NoError(t, db.Close())
		}
		require.FileExists(t, path)
	}
}
