package extension

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/schema"
)

// The rest of an erasure runs in the background. If it cannot be stopped, Close reports
// that by its deadline, and the next open finishes the erasure.
func TestCloseDuringErasureKeepsDeadline(t *testing.T) {
	pgtest.FileOnly(t, "its log")
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	stuck, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	x, err := Open(t.Context(), path, &Config{NoBackground: true, Hooks: Hooks{OnError: func(source string, _ error) {
		if source == "erase" {
			once.Do(func() { close(stuck) })
			<-release
		}
	}}})
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The Xylqorvant is blue", eventbus.WithID("m1"))))
	reader, err := schema.Open(t.Context(), path, &schema.Options{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, reader.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var n int
		if err := s.Row(ctx, "SELECT count(*) FROM memories", nil, &n); err != nil {
			return err
		}
		_, err := x.Erase(t.Context(), ada, Erasure{Events: []string{"m1"}})
		var unfinished *ErasureError
		require.ErrorAs(t, err, &unfinished)
		<-stuck
		return nil
	}))
	require.NoError(t, reader.Close())

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err = x.Close(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "the rest of an erasure is still under way")
	close(release)
	require.NoError(t, x.Close(t.Context()), "what was left ends by itself")

	x, err = Open(t.Context(), path, &Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.Eventually(t, func() bool {
		health, err := x.Health(t.Context())
		return err == nil && health.OpenErasures == 0
	}, 20*time.Second, 10*time.Millisecond)
	require.Empty(t, holding(t, path, forms("Xylqorvant")...))
}
