package encoders

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const model = "../../encoder/testdata/bert"

// dataFolder gives a test a data folder of its own.
func dataFolder(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	folder, err := Folder()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	return folder
}

// A server that sends half a file and then nothing more does not hold up the command,
// and what came is shown meanwhile.
func TestDownloadThatStandsStill(t *testing.T) {
	before := maxSilence
	maxSilence = 50 * time.Millisecond
	defer func() { maxSilence = before }()
	content := bytes.Repeat([]byte("x"), 100)
	sum := sha256.Sum256(content)
	f := &File{Name: "weights", Bytes: 100, SHA256: hex.EncodeToString(sum[:])}
	var shown bytes.Buffer
	stand, still := true, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !stand {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write(content[:60])
		_ = http.NewResponseController(w).Flush()
		<-still
	}))
	defer server.Close()
	defer close(still)
	to := filepath.Join(t.TempDir(), "weights")
	err := f.download(t.Context(), server.Client(), server.URL, to, &shown)
	require.ErrorContains(t, err, "the transfer broke off: no byte came for 50ms; the same command goes on with it")
	require.Equal(t, 60, shown.Len())

	stand = false
	for _, of := range []string{"the rest", "nothing"} {
		shown.Reset()
		require.NoError(t, f.download(t.Context(), server.Client(), server.URL, to, &shown))
		require.Equal(t, 100, shown.Len(), "after %s was fetched", of)
	}
}

// What killed installations have left goes; what runs, and what can be resumed, stays.
func TestLeftoversOfKilledInstallations(t *testing.T) {
	folder := dataFolder(t)
	long := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{".installing-1", ".installing-2", ".downloading-minilm"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, name, "1_Pooling"), 0o755))
		if name != ".installing-2" {
			require.NoError(t, os.Chtimes(filepath.Join(folder, name), long, long))
		}
	}
	_, installed, err := Install(t.Context(), model, Options{Name: "random"})
	require.NoError(t, err)
	require.True(t, installed)
	require.NoDirExists(t, filepath.Join(folder, ".installing-1"))
	require.DirExists(t, filepath.Join(folder, ".installing-2"))
	require.DirExists(t, filepath.Join(folder, ".downloading-minilm"))
}

// A file or half a folder among the encoders says how it is mended, before anything is copied.
func TestWhatIsNoEncoder(t *testing.T) {
	folder := dataFolder(t)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.txt"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "half"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "damaged"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "damaged", manifest), []byte("{"), 0o600))
	all, faults, err := List()
	require.NoError(t, err)
	require.Empty(t, all)
	require.Len(t, faults, 2)
	copied := func(int64, string) (io.Writer, func()) {
		t.Error("files are copied")
		return io.Discard, func() {}
	}
	for _, name := range []string{"notes.txt", "half", "damaged"} {
		_, _, err := Install(t.Context(), model, Options{Name: name, Progress: copied})
		require.ErrorContains(t, err, filepath.Join(folder, name)+" is no complete encoder", name)
		require.ErrorContains(t, err, "remove it, and install the encoder again")
	}
}

func TestPromptsAreDescribed(t *testing.T) {
	dataFolder(t)
	i, _, err := Install(t.Context(), model, Options{Name: "random"})
	require.NoError(t, err)
	require.Equal(t, [2]string{"query: ", "passage: "}, [2]string{i.QueryPrompt, i.DocumentPrompt})
	again, installed, err := Install(t.Context(), model, Options{Name: "random"})
	require.NoError(t, err)
	require.False(t, installed)
	require.Equal(t, i, again)
}

// A README that is not copied is not read: it may be a pipe, or without an end.
func TestReadmeThatIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	header := "---\nlicense: mit\n---\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte(header), 0o600))
	require.Equal(t, "mit", licenceOf(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte(header+strings.Repeat("x", 1<<20)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), nil, 0o600))
	require.Equal(t, "see LICENSE", licenceOf(dir))
}
