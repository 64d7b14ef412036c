package eventbus_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ada = eventbus.Scope{User: "ada", Session: "s1"}

func open(t testing.TB, path string) *schema.DB {
	t.Helper()
	db, err := schema.Open(context.Background(), path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func journal(t testing.TB, db *schema.DB, opts *eventbus.JournalOptions) *eventbus.Journal {
	t.Helper()
	j := eventbus.NewJournal(db, opts)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		require.NoError(t, j.Close(ctx))
	})
	return j
}

func newJournal(t testing.TB, opts *eventbus.JournalOptions) *eventbus.Journal {
	t.Helper()
	return journal(t, open(t, filepath.Join(t.TempDir(), "memory.db")), opts)
}

func TestPublishReachesConsumer(t *testing.T) {
	ctx := t.Context()
	j := newJournal(t, nil)
	got := make(chan eventbus.Event, 8)
	_, err := j.Subscribe(ctx, "c", func(_ context.Context, e eventbus.Event) error { got <- e; return nil })
	require.NoError(t, err)
	at := time.Date(2026, 3, 1, 9, 0, 0, 5e6, time.UTC)
	require.NoError(t, j.Publish(ctx, eventbus.UserMessage(ada, "hi\x00 \xff<b>", eventbus.At(at), eventbus.Speaker("Ada"))))
	e := <-got
	m, err := e.Message()
	require.NoError(t, err)
	require.Equal(t, eventbus.Message{Text: "hi <b>", Speaker: "Ada", Role: "user"}, m)
	require.Equal(t, `{"text":"hi <b>","speaker":"Ada","role":"user"}`, string(e.Payload))
	require.Equal(t, at, e.OccurredAt)
	require.Equal(t, ada, e.Scope)
	require.Equal(t, []int64{1}, places(t, j, e.Seq))
	require.EqualValues(t, 4, *e.Trust)
	require.NoError(t, j.WaitIdle(ctx))
	require.Equal(t, eventbus.ConsumerStats{Name: "c", Cursor: 1}, statsOf(t, j, "c"))
}

func TestWaitIdleOfAClosedBus(t *testing.T) {
	j := newJournal(t, nil)
	_, err := j.Subscribe(t.Context(), "c", func(context.Context, eventbus.Event) error { return nil })
	require.NoError(t, err)
	require.NoError(t, j.WaitIdle(t.Context(), "c"))
	require.NoError(t, j.Close(t.Context()))
	require.ErrorIs(t, j.WaitIdle(t.Context(), "c"), schema.ErrClosed)
}
