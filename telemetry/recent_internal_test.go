package telemetry

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
)

// While the state cannot be read, the last one is reported with the error.
func TestTheLastStateOutlivesAnError(t *testing.T) {
	var c recentHealth
	var fault error
	reads := 0
	read := func(context.Context) (*extension.Health, error) {
		reads++
		return &extension.Health{FileBytes: int64(reads)}, fault
	}
	for range 2 {
		health, err := c.read(t.Context(), read)
		require.NoError(t, err)
		require.EqualValues(t, 1, health.FileBytes)
	}
	c.at, fault = time.Time{}, extension.ErrBusy
	health, err := c.read(t.Context(), read)
	require.ErrorIs(t, err, extension.ErrBusy)
	require.EqualValues(t, 1, health.FileBytes)
	fault = nil
	health, err = c.read(t.Context(), read)
	require.NoError(t, err)
	require.EqualValues(t, 3, health.FileBytes)
}
