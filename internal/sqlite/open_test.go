package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func TestStoredMemoryIsReadBackVerbatim(t *testing.T) {
	db := open(t)
	m, err := memtest.Say(t.Context(), db, ada, "My sister Noor marries on 12 June.")
	require.NoError(t, err)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		got, err := s.Memory(ctx, m.UserID, m.UID)
		require.NoError(t, err)
		require.Equal(t, "My sister Noor marries on 12 June.", got.Content)
		require.Equal(t, "s1", got.SessionName)
		_, err = s.Memory(ctx, m.UserID+1, m.UID)
		require.ErrorIs(t, err, schema.ErrNotFound, "another user's memory is not there")
		var matches int
		require.NoError(t, s.Row(ctx, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'sister'", nil, &matches))
		require.Equal(t, 1, matches)
		return nil
	}))
}

func TestGroupedWritesFailAlone(t *testing.T) {
	db := open(t)
	var wg sync.WaitGroup
	errs := make([]error, 64)
	for i := range errs {
		wg.Go(func() {
			if i%4 == 0 {
				errs[i] = db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
					_, err := tx.UserID(ctx, schema.Scope{User: fmt.Sprint("failing-", i)})
					return errors.Join(err, errors.New("changed my mind"))
				})
				return
			}
			_, errs[i] = memtest.Say(t.Context(), db, schema.Scope{User: fmt.Sprint("user-", i)}, "hello there")
		})
	}
	wg.Wait()
	for i, err := range errs {
		if i%4 == 0 {
			require.ErrorContains(t, err, "changed my mind")
		} else {
			require.NoError(t, err)
		}
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		users, err := s.Users(ctx)
		require.Len(t, users, 48, "what failed left no user behind")
		return err
	}))
}

func TestPanicInGroupedWrite(t *testing.T) {
	db := open(t)
	require.PanicsWithValue(t, "boom", func() {
		_ = db.Write(t.Context(), func(context.Context, *schema.Tx) error { panic("boom") })
	})
	_, err := memtest.Say(t.Context(), db, ada, "still here")
	require.NoError(t, err)
}

func TestOpenRefusesForeignDatabase(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for name, c := range map[string]struct {
		path string
		as   error
	}{
		"no path":       {"", &schema.InvalidError{}},
		"directory":     {dir, &schema.InvalidError{}},
		"missing dir":   {filepath.Join(dir, "no", "memory.db"), &schema.InvalidError{}},
		"zero bytes":    {write("zero.db", ""), schema.ErrNotDatabase},
		"a text":        {write("text.db", "Dear diary, this is not a database at all."), schema.ErrNotDatabase},
		"broken sqlite": {write("broken.db", "SQLite format 3\x00 and then nothing that makes sense"), schema.ErrNotDatabase},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := schema.Open(t.Context(), c.path, nil)
			require.Nil(t, db)
			if _, ok := errors.AsType[*schema.InvalidError](c.as); ok {
				var invalid *schema.InvalidError
				require.ErrorAs(t, err, &invalid)
				require.Equal(t, "path", invalid.Field)
			} else {
				require.ErrorIs(t, err, c.as)
			}
		})
	}
}

func TestSnapshotsThatUseEveryConnectionCanStillPrepare(t *testing.T) {
	db := open(t)
	const readers = 4 // the default
	var ready, done sync.WaitGroup
	ready.Add(readers)
	for i := range readers {
		done.Go(func() {
			if err := db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
				ready.Done()
				ready.Wait()
				var n int
				return s.Row(ctx, fmt.Sprintf("SELECT 1 + %d", i), nil, &n)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
}

func TestReadingLeavesNothingBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "tea")
	require.NoError(t, err)
	look := func(during ...string) {
		t.Helper()
		reader, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
		require.NoError(t, err)
		require.NoError(t, reader.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			_, err := s.Users(ctx)
			return err
		}))
		require.NoError(t, reader.Close())
		beside, err := filepath.Glob(path + "*")
		require.NoError(t, err)
		require.Equal(t, append([]string{path}, during...), beside)
	}
	look(path+"-shm", path+"-wal") // they are the writer's
	_, err = memtest.Say(t.Context(), db, ada, "coffee")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	look()
}

func TestOpenRefusesASecondName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "tea")
	require.NoError(t, err)
	require.NoError(t, os.Link(path, path+".hard"))
	_, err = schema.Open(t.Context(), path+".hard", nil)
	require.ErrorContains(t, err, "path has a second name")
	require.NoError(t, os.Remove(path+".hard"))

	require.NoError(t, os.Symlink(path, path+".soft"))
	same, err := schema.Open(t.Context(), path+".soft", nil)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), same, ada, "coffee")
	require.NoError(t, err)
	require.Equal(t, 2, memories(t, db))
	require.NoError(t, same.Close())
	require.NoError(t, db.Close())
}

func TestStaleLogOfRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "a secret")
	require.NoError(t, err)
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path+"-wal", log, 0o600)) // as a killed process leaves it

	_, err = schema.Open(t.Context(), path, nil)
	require.ErrorContains(t, err, "path is gone, but its log is there")
	require.NoFileExists(t, path)
	require.NoError(t, os.Truncate(path+"-wal", 0))
	db, err = schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.Zero(t, memories(t, db))
	require.NoError(t, db.Close())
}
