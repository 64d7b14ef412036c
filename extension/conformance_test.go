package extension_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/bustest"
)

// hosts is the bus as a host holds it, less ebb's own reports.
type hosts struct {
	eventbus.Bus

	x    *extension.Extension
	path string
}

func newHosts(t *testing.T, path string) *hosts {
	t.Helper()
	x, err := extension.Open(t.Context(), path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = x.Close(context.Background()) }) // a test may leave a handler that does not return
	return &hosts{x.Bus(), x, path}
}

func (h *hosts) Subscribe(ctx context.Context, name string, handle eventbus.Handler, opts ...eventbus.SubscribeOption) (eventbus.Subscription, error) {
	if handle == nil {
		return h.Bus.Subscribe(ctx, name, nil, opts...)
	}
	return h.Bus.Subscribe(ctx, name, func(ctx context.Context, e eventbus.Event) error {
		if strings.HasPrefix(e.Topic, "memory.") {
			return nil
		}
		return handle(ctx, e)
	}, opts...)
}

func TestTheHostsBusConforms(t *testing.T) {
	bustest.Run(t, bustest.Features{Durable: true, Ordered: true, Redelivery: true, Idempotent: true, Transactional: true}, bustest.Setup{
		Open: func(t *testing.T) eventbus.Bus { return newHosts(t, filepath.Join(t.TempDir(), "memory.db")) },
		Reopen: func(t *testing.T, old eventbus.Bus) eventbus.Bus {
			require.NoError(t, old.(*hosts).x.Close(t.Context()))
			return newHosts(t, old.(*hosts).path)
		},
	})
}
