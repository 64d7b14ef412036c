package sqlite

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/stretchr/testify/require"
)

// recorder is a file that records calls.
type recorder struct {
	vfs.File

	calls []string
}

func (p *recorder) WriteAt(b []byte, _ int64) (int, error) {
	p.calls = append(p.calls, string(b))
	return len(b), nil
}

func (p *recorder) ReadAt(b []byte, _ int64) (int, error) {
	p.calls = append(p.calls, "read")
	return len(b), nil
}

func (p *recorder) Sync(vfs.SyncFlag) error {
	p.calls = append(p.calls, "sync")
	return nil
}

func TestACommitIsWrittenToTheLogInOneCall(t *testing.T) {
	write := func(f *logFile, s string, off int64) {
		n, err := f.WriteAt([]byte(s), off)
		require.NoError(t, err)
		require.Equal(t, len(s), n)
	}
	for name, c := range map[string]struct {
		do   func(f *logFile)
		want []string
	}{
		"before it is synced": {func(f *logFile) {
			write(f, "ab", 0)
			write(f, "c", 2)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
			require.NoError(t, f.endBuffering())
		}, []string{"abc", "sync"}},
		"except after the sync, where readers see it at once": {func(f *logFile) {
			write(f, "ab", 0)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
			write(f, "c", 2)
		}, []string{"ab", "sync", "c"}},
		"after the header of a restarted log": {func(f *logFile) {
			header := strings.Repeat("h", logHeader)
			write(f, header, 0)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
			write(f, "ab", logHeader)
			write(f, "c", logHeader+2)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
			write(f, "d", logHeader+3)
		}, []string{strings.Repeat("h", logHeader), "sync", "abc", "sync", "d"}},
		"before it is read": {func(f *logFile) {
			write(f, "ab", 0)
			_, err := f.ReadAt(make([]byte, 1), 0)
			require.NoError(t, err)
			write(f, "c", 2)
			require.NoError(t, f.endBuffering())
		}, []string{"ab", "read", "c"}},
		"in the order of the writes": {func(f *logFile) {
			write(f, "ab", 0)
			write(f, "c", 7)
			write(f, "d", 0)
			require.NoError(t, f.endBuffering())
		}, []string{"ab", "c", "d"}},
		"a failed commit is not written later, over another": {func(f *logFile) {
			write(f, "ab", 0)
			f.discardBuffer()
			write(f, "c", 2)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
		}, []string{"c", "sync"}},
		"unbuffered outside of a commit": {func(f *logFile) {
			require.NoError(t, f.endBuffering())
			write(f, "ab", 0)
			write(f, "c", 2)
		}, []string{"ab", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := new(recorder)
			f := &logFile{File: p}
			f.beginBuffering()
			c.do(f)
			require.Equal(t, c.want, p.calls)
		})
	}
}

// By default the driver keeps the context in which a connection was opened.
func TestTheContextOfOpenDoesNotEndWrites(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	db, err := Open(ctx, filepath.Join(t.TempDir(), "memory.db"), Config{Format: testFormat})
	require.NoError(t, err)
	cancel()
	require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *Tx) error { return add(tx, "ada") }))
	require.NoError(t, db.Close())
}
