package memory

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A costly read is not repeated within an age, and after an error the last result stays.
func TestRecent(t *testing.T) {
	var r Recent[int]
	busy := errors.New("busy")
	reads, fault := 0, busy
	next := func() (*int, error) {
		return r.Read(t.Context(), time.Minute, func(context.Context) (*int, error) {
			reads++
			result := reads
			return &result, fault
		})
	}
	none, err := next()
	require.ErrorIs(t, err, busy)
	require.Nil(t, none)
	fault = nil
	for range 3 {
		last, err := next()
		require.NoError(t, err)
		require.Equal(t, 2, *last)
	}
	r.at, fault = r.at.Add(-time.Minute), busy
	last, err := next()
	require.ErrorIs(t, err, busy)
	require.Equal(t, 2, *last)
	fault = nil
	last, err = next()
	require.NoError(t, err)
	require.Equal(t, 4, *last)
}
