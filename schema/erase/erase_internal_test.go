package erase

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// What another erasure selected and has not deleted yet, since its process is slow or
// gone, is deleted before an erasure of the same is acknowledged. Both receipts are true.
func TestRowsOfAnUnfinishedErasureAreErased(t *testing.T) {
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ada, by := schema.Scope{User: "ada", Session: "s"}, schema.Actor{Name: "host"}
	m, err := memtest.Say(t.Context(), db, ada, "The harbour is grey")
	require.NoError(t, err)
	left := func() (n int) {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT count(*) FROM memories WHERE uid = ?", []any{m.UID}, &n)
		}))
		return n
	}
	what := Erasure{Memories: []string{m.UID}}
	first := &eraser{db: db, by: by, receipt: newReceipt()}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		first.tx = tx
		return first.begin(ctx, ada, &what)
	}))
	require.Equal(t, 1, left())

	second, err := Run(t.Context(), db, ada, what, by)
	require.NoError(t, err)
	require.Equal(t, Done, second.State)
	require.Zero(t, left())
	require.Zero(t, second.Erased["memories"], "the first one's receipt counts it")

	require.NoError(t, first.finish(t.Context()))
	require.Equal(t, Done, first.receipt.State)
	require.EqualValues(t, 1, first.receipt.Erased["memories"])
}

// Erasures of the same message at the same time all end, and none is acknowledged while
// it is there.
func TestErasuresAtTheSameTime(t *testing.T) {
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ada := schema.Scope{User: "ada", Session: "s"}
	for range 10 {
		m, err := memtest.Say(t.Context(), db, ada, "The harbour is grey")
		require.NoError(t, err)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				_, err := Run(t.Context(), db, ada, Erasure{Memories: []string{m.UID}}, schema.Actor{Name: "host"})
				assert.NoError(t, err)
				assert.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
					there := 0
					err := s.Row(ctx, "SELECT count(*) FROM memories WHERE uid = ?", []any{m.UID}, &there)
					assert.Zero(t, there)
					return err
				}))
			})
		}
		all.Wait()
	}
}
