package extension_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

func healthOf(t *testing.T, x *extension.Extension) *extension.Health {
	t.Helper()
	h, err := x.Health(t.Context())
	require.NoError(t, err)
	return h
}

// A hook that panics is reported and ends nothing.
func TestPanicsOfHooks(t *testing.T) {
	var told atomic.Int32
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{
		NoSchedule: true,
		Hooks: extension.Hooks{
			OnError:    func(string, error) { told.Add(1); panic("OnError fails") },
			OnRecall:   func(extension.Scope, string, *extension.Answer) { panic("OnRecall fails") },
			OnProgress: func(extension.Progress) { panic("OnProgress fails") },
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	ada := extension.Scope{User: "ada", Session: "s"}
	s, err := x.Session(ada)
	require.NoError(t, err)
	require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": "My sister Noor lives in Ghent."}, map[string]any{"output": "Noted."}))
	later, err := x.Session(extension.Scope{User: "ada", Session: "t"})
	require.NoError(t, err)
	loaded, err := later.Memory().LoadMemoryVariables(t.Context(), map[string]any{"input": "Where does my sister Noor live?"})
	require.NoError(t, err)
	require.Contains(t, loaded["history"], "Ghent", "the turn goes on")
	_, err = x.Consolidate(t.Context(), ada)
	require.NoError(t, err)
	h := healthOf(t, x)
	require.False(t, h.Healthy())
	var sources []string
	for _, f := range h.Failures {
		sources = append(sources, f.Source)
		require.Contains(t, f.Error, "panicked")
		require.NotContains(t, f.Error, "fails", "a panic may hold a user's text")
	}
	require.ElementsMatch(t, []string{"hook OnError", "hook OnRecall", "hook OnProgress"}, sources)
	require.Positive(t, told.Load())
}

// A message that was refused is a failure until the same door has stored
// another; then it is one that was overcome, not one that never was.
func TestRefusedMessageAndHealth(t *testing.T) {
	x, err := extension.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), &extension.Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(t.Context())) }()
	s, err := x.Session(extension.Scope{User: "ada", Session: "s"})
	require.NoError(t, err)
	save := func(said string) {
		require.NoError(t, s.Memory().SaveContext(t.Context(), map[string]any{"input": said}, map[string]any{"output": ""}))
	}
	save("I have a brother.")
	require.True(t, healthOf(t, x).Healthy())
	save("\x00")
	h := healthOf(t, x)
	require.False(t, h.Healthy())
	require.Empty(t, h.Overcome)
	save("I have two brothers.")
	h = healthOf(t, x)
	require.True(t, h.Healthy())
	require.Len(t, h.Overcome, 1)
	require.Equal(t, "memory", h.Overcome[0].Source)
	save("\x00")
	h = healthOf(t, x)
	require.False(t, h.Healthy())
	require.EqualValues(t, 2, h.Failures[0].Count)

	// Storing answers says nothing about questions that cannot be told apart.
	ambiguous := map[string]any{"a": "one text", "b": "another text"}
	_, err = s.Memory().LoadMemoryVariables(t.Context(), ambiguous)
	require.NoError(t, err)
	save("I have three brothers.")
	require.False(t, healthOf(t, x).Healthy())
}

// Close keeps its deadline although another process holds the write lock.
func TestCloseKeepsItsDeadlineUnderALock(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(ctx, path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	other, err := schema.Open(ctx, path, nil)
	require.NoError(t, err)
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 2)
	go func() {
		done <- other.Write(ctx, func(context.Context, *schema.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	begun := make(chan struct{})
	go func() {
		close(begun)
		done <- x.Bus().Publish(ctx, eventbus.UserMessage(extension.Scope{User: "ada"}, "while it is locked"))
	}()
	<-begun
	time.Sleep(20 * time.Millisecond) // until the publish waits for the lock
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, x.Close(short), context.DeadlineExceeded)
	close(release)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.NoError(t, x.Close(ctx))
	require.NoError(t, other.Close())
}
