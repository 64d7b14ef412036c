package erase

import (
	"context"
	"errors"
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

// A process that ends between the deletion and the sweep, or within the sweep, leaves
// what the next one needs to finish it, and nothing of it stays.
func TestSweepGoesOnAfterItsProcess(t *testing.T) {
	db, err := schema.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ada, by := schema.Scope{User: "ada", Session: "s"}, schema.Actor{Name: "host"}
	m, err := memtest.Say(t.Context(), db, ada, "Zorblatina is at the harbour")
	require.NoError(t, err)
	seqs := make([]int64, 2*eventsAtOnce)
	first := &eraser{db: db, by: by, receipt: newReceipt()}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		first.tx = tx
		for i := range seqs {
			e := &schema.EventRow{UserID: m.UserID, Topic: "memory.recalled", Origin: schema.OriginToolInternal, Payload: []byte(`{"channel":"memory","query":"Zorblatina?","items":[]}`)}
			if err := tx.AppendEvents(ctx, &schema.NewEvent{Row: e}); err != nil {
				return err
			}
			seqs[i] = e.Seq
		}
		if err := first.begin(ctx, ada, &Erasure{Memories: []string{m.UID}}); err != nil {
			return err
		}
		if err := newBatch(first).erase(ctx, []int64{m.ID}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "DELETE FROM erasing WHERE record = 'memories'")
		return err
	}))
	left := func() (shown []int64, waiting int) {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			if shown, err = schema.Column[int64](ctx, s.Query, "SELECT seq FROM events WHERE topic = 'memory.recalled' ORDER BY seq"); err != nil {
				return err
			}
			return s.Row(ctx, "SELECT count(*) FROM erasing", nil, &waiting)
		}))
		return shown, waiting
	}
	shown, waiting := left()
	require.Equal(t, seqs, shown)
	require.Positive(t, waiting)

	// The sweep stopped after the first row, and an undoing brought a summary back.
	var noor *schema.Entity
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		if noor, err = tx.CreateEntity(ctx, m.UserID, schema.EntityName, "Noor", 1); err != nil {
			return err
		}
		first.tx = tx
		return errors.Join(tx.Summarise(ctx, noor, "knows Zorblatina", by), first.storeSwept(ctx, 0, seqs[0]))
	}))
	users, err := Finish(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, []int64{m.UserID}, users)
	shown, waiting = left()
	require.Equal(t, seqs[:1], shown, "it goes on where it was")
	require.Zero(t, waiting)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		noor, err = s.Entity(ctx, m.UserID, noor.UID)
		return err
	}))
	require.Empty(t, noor.Summary)
}
