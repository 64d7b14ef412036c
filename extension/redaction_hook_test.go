package extension_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// A hook that does not answer holds nothing up past the call's own context, and
// what it answers later is not written.
func TestHangingRedactionHook(t *testing.T) {
	for name, test := range map[string]struct {
		listens bool // the hook returns when its context ends
		end     func(context.Context) (context.Context, context.CancelFunc)
		cause   error
	}{
		"deadline, deaf":      {false, soon, context.DeadlineExceeded},
		"deadline, listening": {true, soon, context.DeadlineExceeded},
		"cancelled":           {false, context.WithCancel, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			asked, release, ended := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
			x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Redaction: extension.Redaction{
				Hook: func(ctx context.Context, _, text string) (string, error) {
					defer close(ended)
					asked <- struct{}{}
					if test.listens {
						select {
						case <-ctx.Done():
							return text, ctx.Err()
						case <-release:
						}
					}
					<-release
					return text, nil
				},
			}})
			require.NoError(t, err)
			ctx, cancel := test.end(t.Context())
			defer cancel()
			refusal := make(chan error, 1)
			go func() { refusal <- x.Bus().Publish(ctx, eventbus.UserMessage(ada, "The "+marker+" sings")) }()
			<-asked
			if test.cause == context.Canceled {
				cancel()
			}
			select {
			case err = <-refusal:
			case <-time.After(20 * time.Second):
				close(release)
				t.Fatal("the hook holds the call up")
			}
			var refused *extension.RedactionError
			require.ErrorAs(t, err, &refused)
			require.ErrorIs(t, err, test.cause)
			require.NotContains(t, err.Error(), marker)
			close(release)
			<-ended
			require.NoError(t, x.WaitIdle(t.Context()))
			require.NoError(t, x.Close(context.Background()))
			require.False(t, bytes.Contains(onDisk(t, filepath.Dir(path)), []byte(marker)))
		})
	}
}

// A turn's message is stored even if the turn has ended, but its hook has a deadline: until
// then the conversation's next messages wait.
func TestRedactionHookOfATurnHasADeadline(t *testing.T) {
	var left time.Duration
	x, err := extension.Open(t.Context(), fresh(t), &extension.Config{NoBackground: true, Redaction: extension.Redaction{
		Hook: func(ctx context.Context, _, text string) (string, error) {
			deadline, _ := ctx.Deadline()
			left = time.Until(deadline)
			return text, ctx.Err()
		},
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	session(t, x, ada).Callbacks().HandleChainStart(ended, map[string]any{"input": "The kettle sings"})
	require.Greater(t, left, time.Duration(0))
	require.LessOrEqual(t, left, 30*time.Second)
	require.Len(t, recalled(t, x, ada, "kettle"), 1)
}

func soon(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 20*time.Millisecond)
}

// Nothing is left of a message that the hook empties: it is refused as empty.
func TestRedactionHookReturningNothing(t *testing.T) {
	for _, nothing := range []string{"", " \n"} {
		path := fresh(t)
		x, err := extension.Open(t.Context(), path, &extension.Config{Night: extension.NightConfig{NoSchedule: true}, Redaction: extension.Redaction{
			Hook: func(context.Context, string, string) (string, error) { return nothing, nil },
		}})
		require.NoError(t, err)
		err = x.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "The "+marker+" sings"))
		var invalid *extension.InvalidError
		require.ErrorAs(t, err, &invalid, "%q", nothing)
		require.Equal(t, "text", invalid.Field)
		note, err := eventbus.New("crm.note", ada, eventbus.OriginToolInternal, map[string]any{"note": "the " + marker})
		require.NoError(t, err)
		require.NoError(t, x.Bus().Publish(t.Context(), note), "a topic of the host's may hold an empty text")
		require.NoError(t, x.WaitIdle(t.Context()))
		require.NoError(t, x.Close(context.Background()))
		require.False(t, bytes.Contains(onDisk(t, filepath.Dir(path)), []byte(marker)))
	}
}
