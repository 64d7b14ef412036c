package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := make([]string, 0, len(entries))
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

// What was acknowledged before the backup began is in it, and of what was
// written together never a part, however much is written meanwhile.
func TestBackupWhileWriting(t *testing.T) {
	db := open(t)
	m := memtest.Remember(t, db, ada, schema.Memory{Content: "Ada lives in Lisbon"})
	stop, acknowledged := make(chan struct{}), atomic.Int64{}
	var writing sync.WaitGroup
	for range 2 {
		writing.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				// Two rows in one write: a backup holds both or none.
				if err := db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
					n := acknowledged.Load()
					for range 2 {
						if _, err := tx.Exec(ctx, "INSERT INTO documents (user_id, uri, hash, read_at) VALUES (?, ?, ?, 0)",
							m.UserID, fmt.Sprintf("%d %s", n, strings.Repeat("x", 2000))+newID(t), "h"); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					t.Error(err)
					return
				}
				acknowledged.Add(2)
			}
		})
	}
	dir := t.TempDir()
	for i := range 5 {
		for acknowledged.Load() < int64(i+1)*20 {
			continue
		}
		before := acknowledged.Load()
		path := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		report, err := db.Backup(t.Context(), path, nil)
		require.NoError(t, err)
		require.GreaterOrEqual(t, report.Rows["documents"], before)
		require.Zero(t, report.Rows["documents"]%2, "half a write was copied")
		require.Equal(t, int64(1), report.Rows["memories"])

		verified, err := schema.VerifyBackup(t.Context(), path, nil)
		require.NoError(t, err)
		require.Equal(t, report, verified)
	}
	close(stop)
	writing.Wait()
	require.Equal(t, []string{"0.db", "1.db", "2.db", "3.db", "4.db"}, names(t, dir))

	copied, err := schema.Open(t.Context(), filepath.Join(dir, "4.db"), nil)
	require.NoError(t, err)
	require.Equal(t, m.Content, memtest.Reread(t, copied, m).Content)
	memtest.Remember(t, copied, ada, schema.Memory{Content: "Ada likes tea"}) // it can be written
	require.NoError(t, copied.Close())
}

var newIDs atomic.Int64

func newID(*testing.T) string { return fmt.Sprint(newIDs.Add(1)) }

func TestABackupIsPrivate(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "b.db")
	_, err := db.Backup(t.Context(), path, nil)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestBackupKeepsExistingFile(t *testing.T) {
	db := open(t)
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
		return path
	}
	dangling := filepath.Join(dir, "dangling")
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), dangling))
	write("logged.db-wal")
	for _, target := range []string{
		write("taken.db"), dir, dangling, filepath.Join(dir, "logged.db"), db.Path(), db.Path() + "-wal", db.Path() + "-shm",
		filepath.Join(dir, "new-journal"), filepath.Join(dir, "no folder", "b.db"), "", " ",
	} {
		before := names(t, dir)
		_, err := db.Backup(t.Context(), target, nil)
		var invalid *schema.InvalidError
		require.ErrorAs(t, err, &invalid, target)
		require.Equal(t, "target", invalid.Field)
		require.Equal(t, before, names(t, dir))
	}
	content, err := os.ReadFile(filepath.Join(dir, "taken.db"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
}

// A file that appears while the backup is made is not replaced either.
func TestBackupRaceForName(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "b.db")
	_, err := db.Backup(t.Context(), path, func(int64, int64) {
		require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	})
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
	require.Equal(t, []string{"b.db"}, names(t, filepath.Dir(path)))
}

// Until it is whole and verified, nothing stands under the backup's name.
func TestAnUnfinishedBackupHasNoName(t *testing.T) {
	db := open(t)
	fill(t, db, 3000)
	path := filepath.Join(t.TempDir(), "b.db")
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := db.Backup(ctx, path, func(done, total int64) {
		steps++
		require.LessOrEqual(t, done, total)
		require.NoFileExists(t, path)
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, steps)
	require.Empty(t, names(t, filepath.Dir(path)))

	// Files that a killed backup left under its temporary name are replaced.
	left := filepath.Join(filepath.Dir(path), ".b.db.new")
	for _, suffix := range []string{"", "-journal", "-wal"} {
		require.NoError(t, os.WriteFile(left+suffix, []byte("half"), 0o644))
	}
	report, err := db.Backup(t.Context(), path, nil)
	require.NoError(t, err)
	require.Equal(t, int64(3000), report.Rows["documents"])
	require.Equal(t, []string{"b.db"}, names(t, filepath.Dir(path)))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestConcurrentBackupsToOneFile(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "b.db")
	_, err := db.Backup(t.Context(), path, func(int64, int64) {
		_, err := db.Backup(t.Context(), path, nil)
		require.ErrorIs(t, err, schema.ErrBusy)
	})
	require.NoError(t, err)
}

// A damaged memory gives no backup, and is not called backed up.
func TestBackupOfDamagedFile(t *testing.T) {
	db := open(t)
	fill(t, db, 500)
	require.NoError(t, db.Close())
	content, err := os.ReadFile(db.Path())
	require.NoError(t, err)
	// Every row can be counted, but one stands elsewhere in its index.
	require.Equal(t, 2, bytes.Count(content, []byte("uri-0")))
	require.NoError(t, os.WriteFile(db.Path(), bytes.Replace(content, []byte("uri-0"), []byte("zzz-0"), 1), 0o600))
	target := filepath.Join(t.TempDir(), "b.db")
	_, err = schema.Backup(t.Context(), db.Path(), target, nil, nil)
	require.ErrorIs(t, err, schema.ErrCorrupt)
	require.Empty(t, names(t, filepath.Dir(target)))
}

func TestBackupOfForeignFile(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, []byte("dear diary"), 0o600))
	foreign := filepath.Join(dir, "foreign")
	memtest.Spoil(t, foreign, "CREATE TABLE recipes (name TEXT)")
	for path, want := range map[string]error{filepath.Join(dir, "none"): schema.ErrNotFound, text: schema.ErrNotDatabase, foreign: schema.ErrNotDatabase} {
		_, err := schema.Backup(t.Context(), path, filepath.Join(dir, "b.db"), nil, nil)
		require.ErrorIs(t, err, want, path)
		_, err = schema.VerifyBackup(t.Context(), path, nil)
		require.ErrorIs(t, err, want, path)
	}
	require.NoFileExists(t, filepath.Join(dir, "b.db"))
}

// Files of other versions are copied as they are: the backup before an
// upgrade.
func TestBackupOfAnotherVersion(t *testing.T) {
	db := open(t)
	require.NoError(t, db.Close())
	for _, version := range []int{1, 999} {
		memtest.Spoil(t, db.Path(), fmt.Sprintf("PRAGMA user_version = %d", version))
		target := filepath.Join(t.TempDir(), "b.db")
		report, err := schema.Backup(t.Context(), db.Path(), target, nil, nil)
		require.NoError(t, err)
		require.Equal(t, version, report.Version)
	}
}

func TestVerifyBackupFindsDamage(t *testing.T) {
	db := open(t)
	fill(t, db, 500)
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	_, err := db.Backup(t.Context(), good, nil)
	require.NoError(t, err)
	content, err := os.ReadFile(good)
	require.NoError(t, err)
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	_, err = schema.VerifyBackup(t.Context(), write("cut.db", content[:len(content)-4096]), nil)
	require.ErrorIs(t, err, schema.ErrCorrupt)
	_, err = schema.VerifyBackup(t.Context(), write("long.db", append(content[:len(content):len(content)], make([]byte, 4096)...)), nil)
	require.ErrorIs(t, err, schema.ErrCorrupt)
	_, err = schema.VerifyBackup(t.Context(), db.Path(), nil) // in use, with a log
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
}

// fill stores so many rows of about 1 KB.
func fill(t *testing.T, db *schema.DB, rows int) {
	t.Helper()
	m := memtest.Remember(t, db, ada, schema.Memory{Content: "Ada lives in Lisbon"})
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for i := range rows {
			if _, err := tx.Exec(ctx, "INSERT INTO documents (user_id, uri, hash, read_at) VALUES (?, ?, ?, 0)", m.UserID, fmt.Sprint("uri-", i), strings.Repeat("x", 1000)); err != nil {
				return err
			}
		}
		return nil
	}))
}
