package eventbus_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func check(ctx context.Context, db *schema.DB, l *schema.Lease) error {
	return db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error { return tx.CheckLease(ctx, l) })
}

func TestLease(t *testing.T) {
	ctx := t.Context()
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	const ttl = time.Minute
	a, err := db.AcquireLease(ctx, "night", "a", ttl)
	require.NoError(t, err)
	assert.True(t, a.Held())
	_, err = db.AcquireLease(ctx, "night", "b", ttl)
	require.ErrorIs(t, err, schema.ErrConflict)
	_, err = db.AcquireLease(ctx, "another job", "b", ttl)
	require.NoError(t, err)
	again, err := db.AcquireLease(ctx, "night", "a", ttl)
	require.NoError(t, err)
	assert.Equal(t, a.Term, again.Term, "the same holder keeps its term")
	require.NoError(t, a.Renew(ctx))
	require.NoError(t, check(ctx, db, a))

	require.NoError(t, a.Release(ctx))
	assert.False(t, a.Held())
	require.NoError(t, a.Renew(ctx), "no other holder took it meanwhile")
	assert.True(t, a.Held())
	require.NoError(t, a.Release(ctx))

	b, err := db.AcquireLease(ctx, "night", "b", ttl)
	require.NoError(t, err)
	assert.Greater(t, b.Term, a.Term)
	require.ErrorIs(t, check(ctx, db, a), schema.ErrConflict)
	require.ErrorIs(t, a.Renew(ctx), schema.ErrConflict)
	require.NoError(t, a.Release(ctx), "giving up what another has is no error")
	require.NoError(t, check(ctx, db, b))
	require.NoError(t, b.Release(ctx))
	c, err := db.AcquireLease(ctx, "night", "a", ttl)
	require.NoError(t, err)
	require.ErrorIs(t, check(ctx, db, a), schema.ErrConflict, "an old term of the same holder is fenced too")
	assert.Greater(t, c.Term, b.Term)
}

func TestLeaseRunsOut(t *testing.T) {
	ctx := t.Context()
	db := open(t, filepath.Join(t.TempDir(), "memory.db"))
	a, err := db.AcquireLease(ctx, "night", "a", time.Millisecond)
	require.NoError(t, err)
	// Its holder gives it up first: the database counts from its answer, the holder from
	// its question.
	for {
		if _, err = db.AcquireLease(ctx, "night", "b", time.Minute); err == nil {
			break
		}
		require.ErrorIs(t, err, schema.ErrConflict)
	}
	assert.False(t, a.Held())
	require.ErrorIs(t, check(ctx, db, a), schema.ErrConflict)

	// A lease from before the clock was set back does not block for years.
	require.NoError(t, db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE leases SET expires_at = ?", time.Now().AddDate(1, 0, 0).UnixMilli())
		return err
	}))
	_, err = db.AcquireLease(ctx, "night", "c", time.Minute)
	require.NoError(t, err)
}

func TestLeaseHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var holders, won atomic.Int32
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		db := open(t, path)
		wg.Go(func() {
			for range 20 {
				l, err := db.AcquireLease(t.Context(), "job", name, time.Minute)
				if err != nil {
					assert.ErrorIs(t, err, schema.ErrConflict)
					continue
				}
				won.Add(1)
				assert.EqualValues(t, 1, holders.Add(1))
				holders.Add(-1)
				assert.NoError(t, l.Release(t.Context()))
			}
		})
	}
	wg.Wait()
	assert.Positive(t, won.Load())
}
