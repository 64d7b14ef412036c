package schema_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// The test binary is also the other process: with EBB_CHILD set it opens the
// file, stores messages, and says so line by line until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("EBB_CHILD"); path != "" {
		storeUntilKilled(path)
		return
	}
	goleak.VerifyTestMain(m)
}

func storeUntilKilled(path string) {
	db, err := schema.Open(context.Background(), path, nil)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		m, err := memtest.Say(context.Background(), db, ada, fmt.Sprintf("message %d of process %d", i, os.Getpid()))
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(m.UID)
	}
}

func openAt(t testing.TB, now *time.Time) *schema.DB {
	t.Helper()
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &schema.Options{Now: func() time.Time { return *now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// storedBeforeKill runs a child on path, kills it after a while, and returns
// the ids that were reported to it as stored.
//
// It is left to live until it has stored the least number of messages.
func storedBeforeKill(t *testing.T, path string, after time.Duration, least int) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "EBB_CHILD="+memtest.Located(path))
	var out output
	cmd.Stdout = &out
	require.NoError(t, cmd.Start())
	time.Sleep(after)
	require.Eventually(t, func() bool { return strings.Count(out.String(), "\n") >= least }, time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // reports the kill
	require.NotContains(t, out.String(), "error:")
	lines := strings.Split(out.String(), "\n")
	return lines[:len(lines)-1] // the last line may be cut
}

// output collects what a process says while others look.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	cycles := 12
	if testing.Short() {
		cycles = 3
	}
	stored := 0
	for i := range cycles {
		// The first kills hit the creation of the file, the later ones writing.
		least := 0
		if i == cycles-1 {
			least = 1
		}
		ids := storedBeforeKill(t, path, time.Duration(2+i*i)*2*time.Millisecond, least)
		stored += len(ids)
		db, err := schema.Open(t.Context(), path, nil)
		require.NoError(t, err, "after kill %d", i)
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			user, err := s.UserID(ctx, ada)
			require.NoError(t, err)
			for _, id := range ids {
				_, err := s.Memory(ctx, user, id)
				require.NoError(t, err, "message %s was acknowledged", id)
			}
			var memories, chunks int
			require.NoError(t, s.Row(ctx, "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM chunks)", nil, &memories, &chunks))
			require.Equal(t, memories, chunks, "no message without its text index")
			return nil
		}))
		require.NoError(t, db.Close())
		if pgtest.Chosen() {
			continue
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		require.NoError(t, err)
		require.Equal(t, []string{path}, left, "a closed database is one file")
	}
	require.Positive(t, stored, "the children never got to write")
}

func TestTwoProcessesWriteOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_, err := memtest.Say(t.Context(), db, ada, fmt.Sprintf("message %d from here", i))
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	ids := storedBeforeKill(t, path, 100*time.Millisecond, 20)
	close(stop)
	<-done
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		user, err := s.UserID(ctx, ada)
		require.NoError(t, err)
		for _, id := range ids {
			_, err := s.Memory(ctx, user, id)
			require.NoError(t, err)
		}
		return nil
	}))
}

func TestOpenRefusesOtherProgramsAndNewerVersions(t *testing.T) {
	pgtest.FileOnly(t, "files of other programs")
	foreign := filepath.Join(t.TempDir(), "notes.db")
	exec1(t, foreign, "CREATE TABLE notes (text)")
	_, err := schema.Open(t.Context(), foreign, nil)
	require.ErrorIs(t, err, schema.ErrNotDatabase)

	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	exec1(t, path, "PRAGMA user_version = 99")
	_, err = schema.Open(t.Context(), path, nil)
	var version *schema.VersionError
	require.ErrorAs(t, err, &version)
	require.Equal(t, 99, version.Found)
}

func exec1(t *testing.T, path, query string) {
	t.Helper()
	conn, err := sql.Open("sqlite3", "file:"+path)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), query)
	require.NoError(t, err)
}

func TestReadOnlyReadsAndRefusesToWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(t.Context(), path, nil)
	require.NoError(t, err)
	m, err := memtest.Say(t.Context(), db, ada, "look, do not touch")
	require.NoError(t, err)
	require.NoError(t, db.Close())

	ro, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, ro.Close()) }()
	require.Equal(t, "look, do not touch", memtest.Reread(t, ro, m).Content)
	_, err = memtest.Say(t.Context(), ro, ada, "scratch")
	require.ErrorIs(t, err, schema.ErrReadOnly)
	if ro.Capabilities().File {
		require.ErrorIs(t, ro.Checkpoint(t.Context()), schema.ErrReadOnly)
	}
}

func TestClosedDatabaseError(t *testing.T) {
	db := open(t)
	require.NoError(t, db.Close())
	require.NoError(t, db.Close(), "twice is fine")
	_, err := memtest.Say(t.Context(), db, ada, "too late")
	require.ErrorIs(t, err, schema.ErrClosed)
	err = db.Read(t.Context(), func(context.Context, *schema.Snapshot) error { return nil })
	require.ErrorIs(t, err, schema.ErrClosed)
}

func TestCancelledWriteChangesNothing(t *testing.T) {
	db := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 { // which of two that are ready is chosen is a matter of chance
		_, err := memtest.Say(ctx, db, ada, "never mind")
		require.ErrorIs(t, err, context.Canceled)
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		users, err := s.Users(ctx)
		require.Empty(t, users)
		return err
	}))
}

func TestSecondProcessHoldingTheLockIsNamed(t *testing.T) {
	pgtest.FileOnly(t, "its lock")
	path := filepath.Join(t.TempDir(), "memory.db")
	db := openPath(t, path, &schema.Options{BusyTimeout: 50 * time.Millisecond})
	other, err := sql.Open("sqlite3", "file:"+path)
	require.NoError(t, err)
	defer other.Close()
	conn, err := other.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "patience")
	require.ErrorIs(t, err, schema.ErrBusy)
	require.ErrorContains(t, err, "another process is writing to this file")
	require.ErrorContains(t, err, "try again")
	require.NotContains(t, err.Error(), "locked", "SQLite's word for it says nothing to a caller")
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	_, err = memtest.Say(t.Context(), db, ada, "patience")
	require.NoError(t, err, "work goes on once the lock is free")
}
