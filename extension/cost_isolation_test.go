package extension

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/internal/vfstest"
	"github.com/ebbmem/ebb/schema"
)

// However much others store, what is read from the disk for one user is what
// that user's own memory takes. (An export reads the journal through: it is no
// part of a conversation.)
func TestOtherUsersRowsAreNotRead(t *testing.T) {
	racing.Alone(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("stores thousands of messages")
	}
	ada := Scope{User: "ada", Session: "s"}
	calls := []struct {
		name string
		do   func(x *Extension) error
	}{
		{"recall", func(x *Extension) error {
			_, err := x.Recall(t.Context(), ada, Query{Text: "Who plays the cello?"})
			return err
		}},
		{"recall of a name", func(x *Extension) error {
			_, err := x.Recall(t.Context(), ada, Query{Text: "Tom", Tag: "none"})
			return err
		}},
		{"recall by session", func(x *Extension) error {
			_, err := x.Recall(t.Context(), ada, Query{Text: "last week", Session: "s"})
			return err
		}},
		{"timeline", func(x *Extension) error { _, err := x.Timeline(t.Context(), ada, TimelineQuery{}); return err }},
		{"timeline of an entity", func(x *Extension) error {
			_, err := x.Timeline(t.Context(), ada, TimelineQuery{Entity: "Tom"})
			return err
		}},
		{"stats", func(x *Extension) error { _, err := x.Stats(t.Context(), ada); return err }},
		{"runs", func(x *Extension) error { _, err := x.Runs(t.Context(), ada, 0); return err }},
		{"proposals", func(x *Extension) error { _, err := x.Proposals(t.Context(), ada); return err }},
		{"publish", func(x *Extension) error {
			return x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "Tom is here"))
		}},
		{"night", func(x *Extension) error { _, err := x.Consolidate(t.Context(), ada); return err }},
	}
	reads := func(others int) map[string]int {
		disk := vfstest.New(t)
		path := filepath.Join(t.TempDir(), "m.db")
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		cfg := &Config{Night: NightConfig{NoSchedule: true}, Now: func() time.Time { return now }, Location: time.UTC}
		opened := func() *Extension {
			x, err := OpenWith(t.Context(), path, cfg, memory.Options{File: schema.Options{VFS: disk.Name()}})
			require.NoError(t, err)
			return x
		}
		x := opened()
		for i := range 5 {
			require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, fmt.Sprintf("Tom plays the cello, no. %d", i))))
		}
		for i := 0; i < others; i += 100 {
			var batch []eventbus.Event
			for j := i; j < i+100; j++ {
				batch = append(batch, eventbus.UserMessage(Scope{User: fmt.Sprint("u", j%3), Session: "s"},
					fmt.Sprintf("Tom plays the cello in the house number %d,%s, until the neighbours come", j, strings.Repeat(" and on", 100))))
			}
			require.NoError(t, x.Bus().Publish(t.Context(), batch...))
		}
		require.NoError(t, x.WaitIdle(t.Context()))
		require.NoError(t, x.Close(context.Background()))
		counts := make(map[string]int)
		for _, c := range calls {
			x := opened() // nothing is cached
			require.NoError(t, x.WaitIdle(t.Context()))
			disk.Arm(vfstest.ReadError, vfstest.Always, 1)
			require.NoError(t, c.do(x), c.name)
			counts[c.name], _ = disk.Disarm()
			require.NoError(t, x.Close(context.Background()))
		}
		return counts
	}
	alone, crowded := reads(0), reads(3000)
	for _, c := range calls {
		t.Logf("%s: %d reads alone, %d beside 3,000 messages of others", c.name, alone[c.name], crowded[c.name])
		// Trees get deeper, and rows of a user lie further apart.
		require.Less(t, crowded[c.name], alone[c.name]+150, c.name)
	}
}
