package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// forget discards the template, so that the next file builds it as in a new
// process.
func forget(t *testing.T) {
	testFormat.mu.Lock()
	defer testFormat.mu.Unlock()
	before := testFormat.template
	testFormat.template = nil
	t.Cleanup(func() { testFormat.template = before })
}

// A file written from the template equals one built by the migrations, byte for
// byte, except for the identity, the time, and the counters in SQLite's header.
func TestNewFileEqualsMigrated(t *testing.T) {
	forget(t)
	dir := t.TempDir()
	files := make([][]byte, 8)
	var all sync.WaitGroup
	for i := range files {
		all.Go(func() {
			path := filepath.Join(dir, "written"+string(rune('0'+i)))
			err := os.WriteFile(path, nil, 0o600)
			if err == nil {
				err = writeEmpty(t.Context(), path, Config{Format: testFormat}.withDefaults())
			}
			if err == nil {
				files[i], err = os.ReadFile(path)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	path := filepath.Join(dir, "migrated")
	require.NoError(t, buildEmpty(t.Context(), path, Config{Format: testFormat}.withDefaults()))
	migrated, err := os.ReadFile(path)
	require.NoError(t, err)
	all.Wait()
	require.False(t, t.Failed())

	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, len(files)+1, "no log, no journal, no index")
	identity := regexp.MustCompile("[0-9a-f]{32}")
	times := regexp.MustCompile(`20\d\d-\d\d-\d\d \d\d:\d\d:\d\d`)
	identities := make(map[string]bool)
	header := func(file []byte) []byte {
		require.EqualValues(t, len(file)/4096, binary.BigEndian.Uint32(file[28:]), "the size it says it has")
		require.Equal(t, file[24:28], file[92:96], "or SQLite takes the size for a guess")
		file = bytes.Clone(file)
		clear(file[24:28])  // file change counter
		clear(file[40:44])  // schema cookie
		clear(file[92:100]) // version-valid-for and SQLite version
		return file
	}
	plain := func(file []byte) []byte {
		return times.ReplaceAll(identity.ReplaceAll(header(file), []byte("id")), []byte("time"))
	}
	for _, file := range append(files, migrated) {
		found := identity.FindAll(file, -1)
		require.Len(t, found, 1)
		identities[string(found[0])] = true
		require.Len(t, times.FindAll(file, -1), 1, "of the only migration")
		require.True(t, bytes.Equal(plain(migrated), plain(file)))
	}
	require.Len(t, identities, len(files)+1)
	t.Logf("%d bytes", len(testFormat.template.file))
}

// An encrypted file holds the same pages after its seal.
func TestNewEncryptedFileEqualsMigrated(t *testing.T) {
	key, err := NewKey(bytes.Repeat([]byte("k"), KeySize))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := Open(t.Context(), path, Config{Format: testFormat, Options: Options{Key: key}})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, sealPage+len(testFormat.template.file), info.Size())
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(file), "CREATE")
}

func TestFailedTemplateIsRetried(t *testing.T) {
	forget(t)
	path := filepath.Join(t.TempDir(), "memory.db")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Open(cancelled, path, Config{Format: testFormat})
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, path)
	db, err := Open(t.Context(), path, Config{Format: testFormat})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
