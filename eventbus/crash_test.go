package eventbus_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// Closing the database under a bus ends the bus's goroutines, and loses no
// acknowledged event.
func TestDatabaseClosedFirst(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	db := open(t, path)
	j := eventbus.NewJournal(db, nil)
	started, release := make(chan struct{}), make(chan struct{})
	_, err := j.Subscribe(ctx, "c", func(context.Context, eventbus.Event) error {
		close(started)
		<-release
		return nil
	})
	require.NoError(t, err)
	say(t, j, "in hand", "waiting")
	<-started
	require.NoError(t, db.Close())
	close(release)
	require.ErrorIs(t, j.Publish(ctx, eventbus.UserMessage(ada, "late")), schema.ErrClosed)

	next := journal(t, open(t, path), &eventbus.JournalOptions{Poll: 10 * time.Millisecond})
	var got []int64
	_, err = next.Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error { got = append(got, e.Seq); return nil })
	require.NoError(t, err)
	require.NoError(t, next.WaitIdle(ctx))
	require.Equal(t, []int64{1, 2}, places(t, next, got...), "what was in hand comes again")
	require.NoError(t, j.Close(ctx))
}

const crashFile = "EBB_TEST_CRASH_FILE"

// A process is killed while it publishes and consumes. Every event whose
// Publish had returned is in the journal and reaches the consumer that takes
// over; none that was recorded as done comes again.
func TestKilledProcess(t *testing.T) {
	if path := os.Getenv(crashFile); path != "" {
		publishUntilKilled(t, path)
		return
	}
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	require.NoError(t, open(t, path).Close())
	child := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	child.Env = append(os.Environ(), crashFile+"="+memtest.Located(path))
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var acknowledged []string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if acknowledged = append(acknowledged, lines.Text()); len(acknowledged) == 60 {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
	require.GreaterOrEqual(t, len(acknowledged), 60)

	j := journal(t, open(t, path), &eventbus.JournalOptions{Poll: 10 * time.Millisecond})
	events, err := j.All(ctx)
	require.NoError(t, err)
	var texts []string
	for _, e := range events {
		m, err := e.Message()
		require.NoError(t, err)
		texts = append(texts, m.Text)
	}
	require.Subset(t, texts, acknowledged)
	done := statsOf(t, j, "c").Cursor
	var got []int64
	_, err = j.Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error { got = append(got, e.Seq); return nil })
	require.NoError(t, err)
	require.NoError(t, j.WaitIdle(ctx))
	var want []int64
	for seq := done + 1; seq <= int64(len(events)); seq++ {
		want = append(want, seq)
	}
	require.Equal(t, want, places(t, j, got...))
}

func publishUntilKilled(t *testing.T, path string) {
	j := journal(t, open(t, path), nil)
	_, err := j.Subscribe(t.Context(), "c", func(context.Context, eventbus.Event) error { return nil })
	require.NoError(t, err)
	for i := 0; ; i++ {
		text := fmt.Sprintf("event %d", i)
		require.NoError(t, j.Publish(t.Context(), eventbus.UserMessage(ada, text)))
		fmt.Println(text)
	}
}

// While the file cannot be written, the progress is kept, so that what was
// done is not done again once it can.
func TestProgressOutlivesABusyFile(t *testing.T) {
	pgtest.FileOnly(t, "its lock")
	if testing.Short() {
		t.Skip("waits for the pause after an error")
	}
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := schema.Open(ctx, path, &schema.Options{BusyTimeout: 10 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	refused := make(chan error, 16)
	j := journal(t, db, &eventbus.JournalOptions{ErrorHook: func(_ string, err error) { refused <- err }})
	other, err := driver.Open("file:" + path + "?_txlock=immediate")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })

	var mu sync.Mutex
	var calls []int64
	var undo func() error
	_, err = j.Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if calls = append(calls, e.Seq); len(calls) == 1 {
			tx, err := other.BeginTx(context.WithoutCancel(ctx), nil)
			if err != nil {
				return err
			}
			undo = tx.Rollback
		}
		return nil
	})
	require.NoError(t, err)
	say(t, j, "x")
	require.ErrorIs(t, <-refused, schema.ErrBusy)
	mu.Lock()
	require.NoError(t, undo())
	mu.Unlock()
	require.NoError(t, j.WaitIdle(ctx))
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []int64{1}, calls)
}

// A handler that ignores its context cannot delay the end of a process.
func TestCloseWithHangingHandler(t *testing.T) {
	j := newJournal(t, nil)
	started, release := make(chan struct{}), make(chan struct{})
	_, err := j.Subscribe(t.Context(), "stubborn", func(context.Context, eventbus.Event) error {
		close(started)
		<-release
		return errors.New("late")
	})
	require.NoError(t, err)
	say(t, j, "x")
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = j.Close(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "consumer stubborn")
	close(release)
	require.NoError(t, j.Close(t.Context()))
	require.Equal(t, eventbus.ConsumerStats{Name: "stubborn", Lag: 1, LagAtMost: true, OldestPending: statsOf(t, j, "stubborn").OldestPending}, statsOf(t, j, "stubborn"))
}
