package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
)

// A memory whose log was removed says so everywhere, at every open, until its
// host has taken note.
func TestRemovedLogIsReported(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(ctx, path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	ada := extension.Scope{User: "ada"}
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(ada, "My sister Noor marries in June.")))
	var mark []byte
	require.Eventually(t, func() bool {
		mark, err = os.ReadFile(path + "-mark")
		return err == nil && len(mark) > 0
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, x.Close(ctx))
	// As it would be, had the machine stopped and the log been swept away.
	require.NoError(t, os.WriteFile(path, file, 0o600))
	require.NoError(t, os.WriteFile(path+"-mark", mark, 0o600))

	damaged := func() *doctor.Check {
		d, err := doctor.Diagnose(ctx, path, extension.Key{})
		require.NoError(t, err)
		for _, c := range d.Checks {
			if c.Name == "end of the log" && c.State == doctor.Damaged {
				require.False(t, d.Healthy)
				return &c
			}
		}
		require.True(t, d.Healthy)
		return nil
	}
	require.NotNil(t, damaged(), "before anybody has opened it")
	for range 2 {
		var told []error
		x, err = extension.Open(ctx, path, &extension.Config{NoBackground: true, Hooks: extension.Hooks{OnError: func(source string, err error) {
			require.Equal(t, "file", source)
			told = append(told, err)
		}}})
		require.NoError(t, err)
		require.Len(t, told, 1)
		var loss *extension.Loss
		require.True(t, errors.As(told[0], &loss))
		require.NotContains(t, loss.Error(), "Noor")
		health, err := x.Health(ctx)
		require.NoError(t, err)
		require.False(t, health.Healthy())
		require.Len(t, health.Losses, 1)
		require.NotZero(t, health.Losses[0].Gone["events"].Through)
		require.NoError(t, x.Close(ctx))
		require.Contains(t, damaged().Detail, "events 1 to")
	}
	x, err = extension.Open(ctx, path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	n, err := x.AcknowledgeLosses(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	health, err := x.Health(ctx)
	require.NoError(t, err)
	require.True(t, health.Healthy())
	require.NoError(t, x.Close(ctx))
	require.Nil(t, damaged())
}

// A log is cut at the end of a commit: with the mark it is said, to the number;
// without, that it cannot be known.
func TestTruncatedLogIsReported(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	x, err := extension.Open(ctx, path, &extension.Config{NoBackground: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(ctx)) }()
	ada := extension.Scope{User: "ada"}
	require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(ada, "My sister Noor marries in June.")))
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	require.NoError(t, x.Bus().Publish(ctx, eventbus.UserMessage(ada, "I live in Oslo.")))
	var mark []byte
	require.Eventually(t, func() bool {
		mark, err = os.ReadFile(path + "-mark")
		return err == nil && strings.Contains(string(mark), " memories=2")
	}, time.Minute, 10*time.Millisecond)
	file, err := os.ReadFile(path)
	require.NoError(t, err)

	end := func(marked bool) doctor.Check {
		cut := filepath.Join(t.TempDir(), "memory.db")
		require.NoError(t, os.WriteFile(cut, file, 0o600))
		require.NoError(t, os.WriteFile(cut+"-wal", log, 0o600))
		if marked {
			require.NoError(t, os.WriteFile(cut+"-mark", mark, 0o600))
		}
		return check(t, diagnose(t, cut), "end of the log")
	}
	marked, unmarked := end(true), end(false)
	require.Equal(t, doctor.Damaged, marked.State)
	require.Contains(t, marked.Detail, "memories 2 to 2 are not there")
	require.Equal(t, doctor.OK, unmarked.State)
	require.Contains(t, unmarked.Detail, "cannot be known")
}
