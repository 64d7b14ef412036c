package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
)

func openOn(t testing.TB, disk *vfstest.Disk, path string) *schema.DB {
	t.Helper()
	db, err := schema.Open(t.Context(), path, &schema.Options{VFS: disk.Name(), NoCheckpoint: true})
	require.NoError(t, err)
	return db
}

// messages are the memories of a file, each with how often it is there.
func messages(t *testing.T, db *schema.DB) map[string]int {
	t.Helper()
	found := make(map[string]int)
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		rows, err := s.Query(ctx, "SELECT content FROM memories")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			found[text]++
		}
		return rows.Err()
	})
	return found
}

// After a failed fsync nothing is written until a checkpoint has proven that
// the disk saves again; then all goes on.
func TestWritesAreRefusedAfterFailedSync(t *testing.T) {
	disk := vfstest.New(t)
	var heard []string
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{
		VFS: disk.Name(), NoCheckpoint: true, OnFault: func(source string, _ error) { heard = append(heard, source) },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = memtest.Say(t.Context(), db, ada, "before")
	require.NoError(t, err)

	disk.Arm(vfstest.SyncError, 1, 2)
	_, err = memtest.Say(t.Context(), db, ada, "struck")
	require.ErrorIs(t, err, schema.ErrIO)
	require.Len(t, db.Faults(), 1)
	_, err = memtest.Say(t.Context(), db, ada, "refused")
	require.ErrorIs(t, err, schema.ErrIO, "the checkpoint that should prove the disk fails")
	require.ErrorContains(t, err, "no write is taken")
	require.Equal(t, []string{"commit", "commit"}, heard)
	require.Equal(t, map[string]int{"before": 1}, messages(t, db), "reading goes on")

	_, err = memtest.Say(t.Context(), db, ada, "after")
	require.NoError(t, err, "the checkpoint went well")
	require.Empty(t, db.Faults())
	require.Equal(t, map[string]int{"before": 1, "after": 1}, messages(t, db))
}

// After a failed fsync, the pages of the failed commit are in the page cache but not
// on disk. The next open sees them as stored and must not append to them.
func TestDurabilityAfterFailedSync(t *testing.T) {
	for name, crash := range map[string]bool{"the process goes on": false, "the process dies and another opens the file": true} {
		t.Run(name, func(t *testing.T) {
			disk := vfstest.New(t)
			dir := t.TempDir()
			path := filepath.Join(dir, "memory.db")
			require.NoError(t, openOn(t, disk, path).Close())
			recording := disk.Record()
			db := openOn(t, disk, path)
			acknowledge := func(db *schema.DB, text string) {
				_, err := memtest.Say(t.Context(), db, ada, text)
				require.NoError(t, err)
				disk.Acknowledge(text)
			}
			acknowledge(db, "before")
			require.NoError(t, db.Checkpoint(t.Context())) // so that nothing in the log covers what follows
			disk.Arm(vfstest.SyncError, 2, vfstest.Once)   // the first is for the header of the log
			_, err := memtest.Say(t.Context(), db, ada, strings.Repeat("struck down ", 2000))
			require.ErrorIs(t, err, schema.ErrIO)
			disk.Disarm()
			if crash {
				// A kill leaves the page cache: the files as they are seen.
				dead := db
				defer func() { _ = dead.Close() }()
				path = filepath.Join(t.TempDir(), "memory.db")
				for _, suffix := range [...]string{"", "-wal"} {
					data, err := os.ReadFile(filepath.Join(dir, "memory.db"+suffix))
					require.NoError(t, err)
					require.NoError(t, os.WriteFile(path+suffix, data, 0o600))
				}
				db = openOn(t, disk, path)
			}
			for i := range 5 {
				acknowledge(db, fmt.Sprint("after ", i))
			}
			disk.Stop()
			require.NoError(t, db.Close())
			survives(t, recording, 100)
		})
	}
}

// survives opens images of a recording and finds in each what was acknowledged.
func survives(t *testing.T, recording *vfstest.Recording, images int) {
	t.Helper()
	disk := vfstest.New(t)
	dir := t.TempDir()
	for seed := range uint64(10) { // a failed sync ends otherwise with each
		recording.Images(seed, images/10, func(image *vfstest.Image) bool {
			require.NoError(t, image.Put(dir))
			db, err := schema.Open(t.Context(), filepath.Join(dir, "memory.db"), &schema.Options{VFS: disk.Name(), NoCheckpoint: true, Readers: 1})
			require.NoError(t, err, "image at %d of %d", image.Moment, recording.Len())
			found := messages(t, db)
			var whole string
			var memories, chunks int
			memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
				return s.Row(ctx, "SELECT (SELECT integrity_check FROM pragma_integrity_check), (SELECT count(*) FROM memories), (SELECT count(DISTINCT memory_id) FROM chunks)",
					nil, &whole, &memories, &chunks)
			})
			require.Equal(t, "ok", whole, "image at %d of %d", image.Moment, recording.Len())
			require.Equal(t, memories, chunks, "half a message; image at %d of %d", image.Moment, recording.Len())
			require.NoError(t, db.Close())
			for _, text := range image.Acked {
				require.Equal(t, 1, found[text], "%q was acknowledged; image at %d of %d", text, image.Moment, recording.Len())
			}
			return true
		})
	}
}

// On a full disk reads go on and writes say so; with room, work goes on.
func TestFullDisk(t *testing.T) {
	disk := vfstest.New(t)
	path := filepath.Join(t.TempDir(), "memory.db")
	db := openOn(t, disk, path)
	_, err := memtest.Say(t.Context(), db, ada, "before")
	require.NoError(t, err)
	disk.Arm(vfstest.DiskFull, 1, vfstest.Always)
	for range 3 {
		_, err = memtest.Say(t.Context(), db, ada, "no room")
		require.ErrorIs(t, err, schema.ErrDiskFull)
		require.Equal(t, map[string]int{"before": 1}, messages(t, db))
	}
	disk.Disarm()
	_, err = memtest.Say(t.Context(), db, ada, "after")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db = openOn(t, disk, path)
	require.Equal(t, map[string]int{"before": 1, "after": 1}, messages(t, db))
	require.NoError(t, db.Close())
}

// The same on a real file system of 2 MiB.
func TestFullTmpfs(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	stored := make(map[string]int)
	for i := 0; ; i++ {
		text := fmt.Sprintf("message %d with %032768d", i, i)
		if _, err = memtest.Say(t.Context(), db, ada, text); err != nil {
			break
		}
		stored[text] = 1
	}
	require.ErrorIs(t, err, schema.ErrDiskFull)
	require.NotEmpty(t, stored)
	_, err = memtest.Say(t.Context(), db, ada, fmt.Sprintf("once more, and %0262144d", 1))
	require.ErrorIs(t, err, schema.ErrDiskFull)
	require.Equal(t, stored, messages(t, db), "reading goes on")
	enlarge(t, dir)
	require.Eventually(t, func() bool {
		_, err = memtest.Say(t.Context(), db, ada, "room again")
		return err == nil
	}, time.Minute, 10*time.Millisecond, "%v", err)
	stored["room again"] = 1
	require.NoError(t, db.Close())
	db, err = schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.Equal(t, stored, messages(t, db))
	require.NoError(t, db.Close())
}

// A failing checkpoint is reported until one succeeds.
func TestFailingCheckpointIsReported(t *testing.T) {
	disk := vfstest.New(t)
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{VFS: disk.Name()})
	require.NoError(t, err)
	disk.ArmFile("memory.db", vfstest.WriteError, 1, vfstest.Always)
	_, err = memtest.Say(t.Context(), db, ada, "before")
	require.NoError(t, err, "the log takes it")
	require.Eventually(t, func() bool { return len(db.Faults()) > 0 }, time.Minute, time.Millisecond)
	require.Equal(t, "checkpoint", db.Faults()[0].Source)
	disk.Disarm()
	require.Eventually(t, func() bool { return len(db.Faults()) == 0 }, time.Minute, time.Millisecond)

	_, err = memtest.Say(t.Context(), db, ada, "last")
	require.NoError(t, err)
	disk.ArmFile("memory.db", vfstest.WriteError, 1, vfstest.Always)
	require.ErrorIs(t, db.Close(), schema.ErrIO, "nothing is lost, but the log stays")
}

// The names of a new file and of its log are on disk before anything is
// acknowledged.
func TestLogNameIsSynced(t *testing.T) {
	disk := vfstest.New(t)
	recording := disk.Record()
	path := filepath.Join(t.TempDir(), "memory.db")
	for i := range 4 {
		db := openOn(t, disk, path)
		for j := range 2 {
			text := fmt.Sprint("message ", i, ".", j)
			_, err := memtest.Say(t.Context(), db, ada, text)
			require.NoError(t, err)
			disk.Acknowledge(text)
		}
		require.NoError(t, db.Close())
	}
	disk.Stop()
	survives(t, recording, 100)
}

// smallDisk mounts a disk in memory of 2 MiB.
func smallDisk(t *testing.T) string {
	dir := t.TempDir()
	mount := func(options string) error {
		return exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).Run()
	}
	if err := mount("size=2m"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here (%v); the same is tested with a file system of ours", err)
	}
	t.Cleanup(func() {
		require.NoError(t, exec.CommandContext(context.WithoutCancel(t.Context()), "umount", dir).Run())
	})
	return dir
}

func enlarge(t *testing.T, dir string) {
	require.NoError(t, exec.CommandContext(t.Context(), "mount", "-o", "remount,size=16m", dir).Run())
}

// Writes that shared the commit that failed fail together: running each again
// would acknowledge what a failed fsync may have lost.
func TestFailedGroupCommit(t *testing.T) {
	disk := vfstest.New(t)
	db := openOn(t, disk, filepath.Join(t.TempDir(), "memory.db"))
	defer func() { require.NoError(t, db.Close()) }()
	_, err := memtest.Say(t.Context(), db, ada, "before")
	require.NoError(t, err)

	const writes = 5
	held, release := make(chan struct{}), make(chan struct{})
	first, results := make(chan error, 1), make(chan error, writes)
	go func() {
		first <- db.Write(t.Context(), func(context.Context, *schema.Tx) error {
			close(held)
			<-release
			return nil // it changes nothing: alone, its commit would touch no disk
		})
	}()
	<-held
	for i := range writes { // they join it
		go func() {
			_, err := memtest.Say(t.Context(), db, ada, fmt.Sprint("together ", i))
			results <- err
		}()
	}
	require.Eventually(t, func() bool { return db.Queued() == writes }, time.Minute, time.Millisecond)
	disk.Arm(vfstest.SyncError, 1, vfstest.Once)
	close(release)
	require.ErrorIs(t, <-first, schema.ErrIO)
	for range writes {
		require.ErrorIs(t, <-results, schema.ErrIO)
	}
	require.Equal(t, map[string]int{"before": 1}, messages(t, db))
}

// A read whose transaction SQLite gave up is an error, whatever became of the
// error inside: what was read after it is of another state.
func TestInterruptedReadIsAnError(t *testing.T) {
	disk := vfstest.New(t)
	path := filepath.Join(t.TempDir(), "memory.db")
	db := openOn(t, disk, path)
	_, err := memtest.Say(t.Context(), db, ada, strings.Repeat("so much to read ", 5000))
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db = openOn(t, disk, path)
	defer func() { require.NoError(t, db.Close()) }()
	err = db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var n int
		require.NoError(t, s.Row(ctx, "SELECT count(*) FROM users", nil, &n))
		disk.Arm(vfstest.ReadError, 1, vfstest.Always)
		require.Error(t, s.Row(ctx, "SELECT sum(length(content)) FROM memories", nil, &n))
		disk.Disarm()
		return nil
	})
	require.ErrorIs(t, err, schema.ErrIO)
}
