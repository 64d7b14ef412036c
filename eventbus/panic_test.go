package eventbus_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// A panic of the host's functions ends neither the process nor the subscription.
func TestPanicsOfHostFunctions(t *testing.T) {
	told := make(chan error, 16)
	j := newJournal(t, &eventbus.JournalOptions{ErrorHook: func(_ string, err error) {
		told <- err
		panic("with somebody's text")
	}})
	var calls atomic.Int32
	_, err := j.Subscribe(t.Context(), "c", func(context.Context, eventbus.Event) error {
		calls.Add(1)
		return errors.New("not yet")
	}, eventbus.Backoff(func(int) time.Duration { panic("no idea") }))
	require.NoError(t, err)
	say(t, j, "x")
	require.ErrorContains(t, <-told, "Backoff failed: panicked")
	require.ErrorContains(t, <-told, "ErrorHook failed: panicked")
	require.ErrorContains(t, <-told, "attempt 1")
	require.Eventually(t, func() bool { return statsOf(t, j, "c").Retrying == 1 }, time.Minute, time.Millisecond)
	require.EqualValues(t, 1, calls.Load())
	require.NoError(t, j.Close(t.Context()))
}
