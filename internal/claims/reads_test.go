package claims_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// What a request may mean, and whether a text tells what is forgotten, is read while a write is under way.
func TestReadsDoNotWaitForWrites(t *testing.T) {
	db, dora := memtest.Open(t), schema.Scope{User: "dora"}
	said := time.Date(2026, 5, 16, 12, 0, 0, 0, time.UTC)
	says := func(content string) *schema.Memory {
		said = said.Add(time.Minute)
		return memtest.Remember(t, db, dora, schema.Memory{Role: "user", Content: content, EventTime: schema.At(said)})
	}
	secret := says("I was fired from Brightwater for stealing.")
	memtest.Write(t, db, dora, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		_, err := claims.Forget(ctx, tx, userID, secret.UID)
		return err
	})
	meant, asks := says("I got a tattoo of a fern on my ribs."), says("that tattoo thing, bin it")

	writing, done := make(chan struct{}), make(chan struct{})
	written := make(chan error, 1)
	go func() {
		written <- db.Write(context.WithoutCancel(t.Context()), func(context.Context, *schema.Tx) error {
			close(writing)
			<-done
			return nil
		})
	}()
	<-writing
	defer func() {
		close(done)
		require.NoError(t, <-written)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	likeliest, err := (&claims.Reader{DB: db}).Likeliest(ctx, dora, asks)
	require.NoError(t, err)
	require.Equal(t, meant.UID, likeliest[0].UID)
	tells, err := claims.TellsForgotten(ctx, db, dora, "Dora stole at Brightwater.")
	require.NoError(t, err)
	require.True(t, tells)
	tells, err = claims.TellsForgotten(ctx, db, dora, "Dora has a tattoo of a fern.")
	require.NoError(t, err)
	require.False(t, tells)
}
