package plugin_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// The test in docs/TESTING.md.
func TestTheAgentKnowsThatAdaMoved(t *testing.T) {
	var days atomic.Int64 // background work reads the clock, too
	now := func() time.Time { return time.Date(2026, 3, 2+int(days.Load()), 9, 0, 0, 0, time.UTC) }
	ext, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{
		Now: now, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true},
	})
	require.NoError(t, err)
	defer ext.Close(context.Background())
	for _, text := range []string{"I live in Lisbon.", "I've moved to Oslo."} {
		require.NoError(t, ext.Bus().Publish(t.Context(), eventbus.UserMessage(extension.Scope{User: "ada", Session: now().String()}, text)))
		require.NoError(t, ext.WaitIdle(t.Context())) // until its facts are stored
		days.Add(14)
		require.NoError(t, ext.RunDueNights(t.Context())) // or Consolidate, for one user
	}
	s, err := ext.Session(extension.Scope{User: "ada", Session: "today"})
	require.NoError(t, err)
	found, err := s.Preview(t.Context(), "Where do I live?")
	require.NoError(t, err)
	require.Contains(t, found.Block, "I've moved to Oslo. (before: I live in Lisbon.)")
}
