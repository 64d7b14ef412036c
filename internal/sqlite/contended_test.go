package sqlite_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestWriteSeesWaiting(t *testing.T) {
	db := open(t)
	nothing := func(context.Context, *schema.Tx) error { return nil }
	var others chan error
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		require.False(t, tx.Contended())
		others = make(chan error, 2)
		for range cap(others) {
			go func() { others <- db.Write(t.Context(), nothing) }()
		}
		require.Eventually(t, tx.Contended, 10*time.Second, time.Millisecond)
		return nil
	}))
	for range cap(others) {
		require.NoError(t, <-others)
	}
	require.NoError(t, db.Write(t.Context(), func(_ context.Context, tx *schema.Tx) error {
		require.False(t, tx.Contended())
		return nil
	}))
}
