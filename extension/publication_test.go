package extension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// held opens a memory whose writer waits until it is let go.
func held(t *testing.T) (x *Extension, letGo func()) {
	t.Helper()
	x = openNew(t)
	begun, wait := make(chan struct{}), make(chan struct{})
	begin, letGo := sync.OnceFunc(func() { close(begun) }), sync.OnceFunc(func() { close(wait) })
	t.Cleanup(letGo)
	go func() {
		_ = x.db.Write(context.Background(), func(context.Context, *schema.Tx) error {
			begin()
			<-wait
			return nil
		})
	}()
	<-begun
	return x, letGo
}

// underway waits until so many messages of ada's session are on their way.
func underway(t *testing.T, x *Extension, n int) {
	t.Helper()
	turn := x.captures.conversation(ada, nil)
	require.Eventually(t, func() bool {
		turn.mu.Lock()
		defer turn.mu.Unlock()
		return len(turn.recent) == n
	}, 10*time.Second, time.Millisecond)
	turn.order.Lock() // it is taken until the last of them is queued
	defer turn.order.Unlock()
}

func TestConcurrentPublishInOneSession(t *testing.T) {
	const publishers = 5
	x, letGo := held(t)
	var all sync.WaitGroup
	for i := range publishers {
		all.Go(func() {
			if err := x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, fmt.Sprint("note ", i))); err != nil {
				t.Error(err)
			}
		})
		underway(t, x, i+1) // though none of them is stored
	}
	letGo()
	all.Wait()
	require.Equal(t, []string{"note 0", "note 1", "note 2", "note 3", "note 4"}, contents(t, x))
}

// The second source must not report a message as stored if storing it then fails.
func TestSourceWaitsForConcurrentReport(t *testing.T) {
	pgtest.FileOnly(t, "its only writer")
	for name, fails := range map[string]bool{"it is stored": false, "it fails": true} {
		t.Run(name, func(t *testing.T) {
			x, letGo := held(t)
			session, err := x.Session(ada)
			require.NoError(t, err)
			first, second := make(chan error, 1), make(chan bool, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { first <- x.Bus().Publish(ctx, eventbus.UserMessage(ada, "the begonia is watered")) }()
			underway(t, x, 1)
			go func() {
				second <- session.capture(t.Context(), sourceMemory, eventbus.UserMessage(ada, "the begonia is watered"))
			}()
			if fails {
				cancel()
				require.ErrorIs(t, <-first, context.Canceled)
			}
			select {
			case <-second:
				t.Fatal("nothing is stored yet")
			case <-time.After(20 * time.Millisecond):
			}
			letGo()
			require.True(t, <-second)
			if !fails {
				require.NoError(t, <-first)
			}
			require.Len(t, contents(t, x), 1)
		})
	}
}

func TestFailedPublishIsForgotten(t *testing.T) {
	x := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), &Config{NoBackground: true,
		Redaction: Redaction{Hook: func(_ context.Context, _, text string) (string, error) {
			if strings.Contains(text, "refused") {
				return "", errors.New("refused")
			}
			return text, nil
		}}})
	session, err := x.Session(ada)
	require.NoError(t, err)
	require.True(t, session.capture(t.Context(), sourceMemory, eventbus.UserMessage(ada, "water it")))
	both := []eventbus.Event{eventbus.UserMessage(ada, "water it"), eventbus.UserMessage(ada, "refused")}
	for range 2 { // the second time, the first message is still the one that the Memory has reported
		require.Error(t, x.Bus().Publish(t.Context(), both...))
	}
	require.NoError(t, x.Bus().Publish(t.Context(), both[0]))
	require.Equal(t, []string{"water it"}, contents(t, x))
}

// contents are ada's messages in the order in which they were stored.
func contents(t *testing.T, x *Extension) (said []string) {
	t.Helper()
	require.NoError(t, x.db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, ada)
		if err != nil {
			return err
		}
		episodes, err := s.EpisodesAfter(ctx, userID, 0, 100)
		for _, m := range episodes {
			said = append(said, m.Content)
		}
		return err
	}))
	return said
}
