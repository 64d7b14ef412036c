package transfer

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder and a ZIP archive list the same, and what is listed can be opened; a name in
// an archive never leads out of it.
func TestFolderAndArchive(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	for name, content := range map[string]string{"conversations.json": "talks", "users.json": "people", "more.jsonl": "more", "chat.html": "page"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte(content), 0o600))
	}
	packed := filepath.Join(dir, "Export.ZIP")
	file, err := os.Create(packed)
	require.NoError(t, err)
	w := zip.NewWriter(file)
	require.NoError(t, w.AddFS(os.DirFS(in)))
	for _, name := range []string{"../evil.json", "/etc/evil.json", "empty/"} {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())

	for _, path := range []string{in, packed} {
		files, leftOut, err := Folder(path)
		require.NoError(t, err)
		require.Equal(t, []string{filepath.Join(path, "conversations.json"), filepath.Join(path, "more.jsonl")}, files)
		require.Equal(t, []string{"users.json"}, leftOut)
		f, size, err := OpenFile(files[0])
		require.NoError(t, err)
		require.EqualValues(t, 5, size)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "talks", string(content))
		require.NoError(t, f.Close())
	}
	_, _, err = OpenFile(filepath.Join(packed, "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Remove(filepath.Join(in, "conversations.json")))
	files, leftOut, err := Folder(in)
	require.NoError(t, err)
	require.Len(t, files, 2, "users.json alone may be what was meant")
	require.Empty(t, leftOut)
}
