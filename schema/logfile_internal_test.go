package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/stretchr/testify/require"
)

// paper is a file that notes the calls it gets.
type paper struct {
	vfs.File

	calls []string
}

func (p *paper) WriteAt(b []byte, _ int64) (int, error) {
	p.calls = append(p.calls, string(b))
	return len(b), nil
}

func (p *paper) ReadAt(b []byte, _ int64) (int, error) {
	p.calls = append(p.calls, "read")
	return len(b), nil
}

func (p *paper) Sync(vfs.SyncFlag) error {
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
			require.NoError(t, f.release())
		}, []string{"abc", "sync"}},
		"but for what comes after the sync, which readers see at once": {func(f *logFile) {
			write(f, "ab", 0)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
			write(f, "c", 2)
		}, []string{"ab", "sync", "c"}},
		"behind the header of a log that begins anew": {func(f *logFile) {
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
			require.NoError(t, f.release())
		}, []string{"ab", "read", "c"}},
		"in the order of the writes": {func(f *logFile) {
			write(f, "ab", 0)
			write(f, "c", 7)
			write(f, "d", 0)
			require.NoError(t, f.release())
		}, []string{"ab", "c", "d"}},
		"nothing of one that failed is written later, over another's": {func(f *logFile) {
			write(f, "ab", 0)
			f.drop()
			write(f, "c", 2)
			require.NoError(t, f.Sync(vfs.SYNC_FULL))
		}, []string{"c", "sync"}},
		"nothing is kept outside of one": {func(f *logFile) {
			require.NoError(t, f.release())
			write(f, "ab", 0)
			write(f, "c", 2)
		}, []string{"ab", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := new(paper)
			f := &logFile{File: p}
			f.gather()
			c.do(f)
			require.Equal(t, c.want, p.calls)
		})
	}
}

func TestTheWriterKnowsUsersFromOneCommitToTheNext(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for range 3 {
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			id, err := tx.UserID(ctx, Scope{User: "ada"})
			if err != nil {
				return err
			}
			_, err = tx.SessionID(ctx, id, "monday")
			return err
		}))
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
			_, err := tx.Erased(ctx, Scope{User: "ada"}, TombstoneEvent, "1")
			return err
		}))
	}
	var users, sessions int
	var tombstones knowledge
	require.NoError(t, db.Write(t.Context(), func(context.Context, *Tx) error {
		users, sessions, tombstones = db.scopes.users.Len(), db.scopes.sessions.Len(), db.others.tombstones
		return nil
	}))
	require.Equal(t, 1, users)
	require.Equal(t, 1, sessions)
	require.Equal(t, thereIsNone, tombstones)
}

// The driver would go on asking the context in which the connection was opened.
func TestTheContextOfOpenDoesNotEndWrites(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	db, err := Open(ctx, filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	cancel()
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		_, err := tx.UserID(ctx, Scope{User: "ada"})
		return err
	}))
	require.NoError(t, db.Close())
}
