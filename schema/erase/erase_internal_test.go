package erase

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
)

// What another erasure selected and has not deleted yet, since its process is slow or
// gone, is deleted before an erasure of the same is acknowledged. Both receipts are true.
func TestRowsOfAnUnfinishedErasureAreErased(t *testing.T) {
	db := memtest.Open(t)
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
	db := memtest.Open(t)
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
	db := memtest.Open(t)
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

// An erasure ends although another one has deleted what it selected.
func TestErasureOfWhatIsGoneEnds(t *testing.T) {
	db := memtest.Open(t)
	ada, by := schema.Scope{User: "ada", Session: "s"}, schema.Actor{Name: "host"}
	for i := range batchSize + 1 {
		_, err := memtest.Say(t.Context(), db, ada, fmt.Sprint("The harbour is grey ", i))
		require.NoError(t, err)
	}
	all := &eraser{db: db, by: by, receipt: newReceipt()}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		all.tx = tx
		return all.begin(ctx, ada, &Erasure{Everything: true})
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	receipt, err := Run(ctx, db, ada, Erasure{Since: time.Unix(0, 0)}, by)
	require.NoError(t, err)
	require.Equal(t, Done, receipt.State)
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		left := 0
		err := s.Row(ctx, "SELECT count(*) FROM erasing", nil, &left)
		require.Zero(t, left)
		return err
	}))
}

// deletion runs the transaction of an erasure that deletes a memory, without the sweep.
func deletion(ctx context.Context, tx *schema.Tx, e *eraser, owner schema.Scope, m *schema.Memory) error {
	e.tx = tx
	if err := e.begin(ctx, owner, &Erasure{Memories: []string{m.UID}}); err != nil {
		return err
	}
	if err := newBatch(e).erase(ctx, []int64{m.ID}); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "DELETE FROM erasing WHERE record = 'memories'")
	return err
}

// Models and people are shown no word of a message from the transaction on that deletes it,
// however long the sweep takes.
func TestErasedWordsLeaveWhatIsShownWithTheMessage(t *testing.T) {
	db := memtest.Open(t)
	ada, by := schema.Scope{User: "ada", Session: "s"}, schema.Actor{Name: "host"}
	gone, err := memtest.Say(t.Context(), db, ada, "I have Zorblatina")
	require.NoError(t, err)
	e := &eraser{db: db, by: by, receipt: newReceipt()}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for id, name := range []string{"human", "journal"} {
			if _, err := tx.Exec(ctx, "INSERT INTO blocks (id, user_id, agent, name, kind, content, trust, version, updated_at) VALUES (?, ?, '', ?, 'text', ?, 2, 2, 5)",
				id+1, gone.UserID, name, "The kettle is green\nAda has Zorblatina"); err != nil {
				return err
			}
			for version, content := range []string{"Ada has Zorblatina", "The kettle is green\nAda has Zorblatina"} {
				if _, err := tx.Exec(ctx, "INSERT INTO block_history (block_id, version, content, trust, actor, agent, at) VALUES (?, ?, ?, 2, 'model', '', 5)",
					id+1, version+1, content); err != nil {
					return err
				}
			}
		}
		for i := range sweepRows + 1 {
			if _, err := tx.AddProposal(ctx, gone.UserID, "correct", schema.JSONObject("new_content", fmt.Sprint("Ada has Zorblatina ", i)), "", by); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, "UPDATE proposals SET state = 'rejected' WHERE id = (SELECT min(id) FROM proposals)"); err != nil {
			return err
		}
		return deletion(ctx, tx, e, ada, gone)
	}))
	left := func() (decided int) {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			blocks, err := schema.Column[string](ctx, s.Query, "SELECT content FROM blocks ORDER BY id")
			require.NoError(t, err)
			require.Equal(t, []string{"The kettle is green", "The kettle is green"}, blocks)
			versions, err := schema.Column[string](ctx, s.Query, "SELECT content FROM block_history ORDER BY block_id, version")
			require.NoError(t, err)
			require.Equal(t, []string{"", "The kettle is green", "", "The kettle is green"}, versions)
			var waiting int
			require.NoError(t, s.Row(ctx, "SELECT count(*) FROM proposals WHERE state = 'pending'", nil, &waiting))
			require.Zero(t, waiting)
			return s.Row(ctx, "SELECT count(*) FROM proposals", nil, &decided)
		}))
		return decided
	}
	require.Equal(t, 1, left(), "history is left to the sweep")

	// A step of the sweep takes one block, since its history may be long.
	var first, second int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		e.tx = tx
		b, err := e.sweeper(ctx)
		if err != nil {
			return err
		}
		var errs [3]error
		first, errs[0] = b.blocks(ctx, 0)
		second, errs[1] = b.blocks(ctx, first)
		// A model that has read the message wrote it down in the meantime.
		_, errs[2] = tx.Exec(ctx, "UPDATE blocks SET content = content || '\nAda loves Zorblatina' WHERE id = 2")
		return errors.Join(errs[:]...)
	}))
	require.Equal(t, []int64{1, 2}, []int64{first, second})
	require.NoError(t, e.finish(t.Context()))
	require.Zero(t, left())
}

// What the user says again during a sweep is not that of the erased message alone any more.
func TestWhatIsSaidAgainDuringASweepStays(t *testing.T) {
	db := memtest.Open(t)
	ada, by := schema.Scope{User: "ada", Session: "s"}, schema.Actor{Name: "host"}
	gone, err := memtest.Say(t.Context(), db, ada, "Rotterdam is wet")
	require.NoError(t, err)
	e := &eraser{db: db, by: by, receipt: newReceipt()}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		return deletion(ctx, tx, e, ada, gone)
	}))
	var reveals bool
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		e.tx = tx
		b, err := e.sweeper(ctx)
		if err == nil {
			reveals, err = b.reveals(ctx, "Rotterdam?")
		}
		return err
	}))
	require.True(t, reveals)
	_, err = memtest.Say(t.Context(), db, ada, "I move to Rotterdam next week")
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.AddProposal(ctx, gone.UserID, "block", schema.JSONObject("block", "human", "kind", "text", "content", "", "new_content", "Moves to Rotterdam"), "", by)
		return err
	}))
	require.NoError(t, e.finish(t.Context()))
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		left := 0
		err := s.Row(ctx, "SELECT count(*) FROM proposals", nil, &left)
		require.Equal(t, 1, left)
		return err
	}))
}
