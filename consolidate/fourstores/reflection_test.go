package fourstores_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/undo"
)

// talked returns a memory in which something was said.
func talked(t *testing.T) *schema.DB {
	t.Helper()
	db := memtest.Open(t)
	for _, said := range []string{"I keep apples in the cellar.", "I keep pears in the cellar."} {
		_, err := memtest.Say(t.Context(), db, ada, said)
		require.NoError(t, err)
	}
	return db
}

// goOn takes a reflection so many steps further and returns its status.
func goOn(t *testing.T, r *Reflections, from, to int) *Status {
	t.Helper()
	now, err := r.Status(t.Context(), ada)
	require.NoError(t, err)
	for _, s := range steps[from:to] {
		require.NoError(t, s.take(t.Context(), r, now.ID), s.name)
		now, err = r.Status(t.Context(), ada)
		require.NoError(t, err)
		require.Equal(t, s.to, now.State)
	}
	return now
}

// Undoing an earlier reflection opens its draft again. Each that is open can be decided, the later one first, and
// then another can be asked for.
func TestUndoOfAnEarlierReflection(t *testing.T) {
	for name, opened := range map[string]int{"recorded": 4, "requested": 1, "drafted": 3} {
		t.Run(name, func(t *testing.T) {
			db := talked(t)
			r := reflections(db, model{})
			first := goOn(t, r, 0, 4)
			run, _, _ := look(t, db)
			_, err := memtest.Say(t.Context(), db, ada, "I keep plums in the cellar.")
			require.NoError(t, err)
			second := goOn(t, r, 0, opened)
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, ada)
				if err == nil {
					_, err = undo.Run(ctx, tx, userID, run, schema.Actor{Name: "host"})
				}
				return err
			}))
			if opened < 4 {
				now, err := r.Status(t.Context(), ada)
				require.NoError(t, err)
				require.Equal(t, second.ID, now.ID)
				require.NoError(t, r.Reject(t.Context(), ada, now.ID))
			}
			now, err := r.Status(t.Context(), ada)
			require.NoError(t, err)
			require.Equal(t, Drafted, now.State)
			require.Equal(t, first.ID, now.ID)
			_, err = r.Request(t.Context(), ada, Request{})
			require.ErrorIs(t, err, schema.ErrConflict)
			require.NoError(t, r.Reject(t.Context(), ada, now.ID))
			_, err = r.Request(t.Context(), ada, Request{})
			require.NoError(t, err)
		})
	}
}

// A host that has no block for a reflection does not record it: the draft waits.
func TestApproveWithoutBlocks(t *testing.T) {
	db := talked(t)
	draft := goOn(t, reflections(db, model{}), 0, 3)
	none := New(Options{DB: db, Stores: stores.Document(), Block: func(string) *core.BlockSpec { return nil }})
	_, err := none.Approve(t.Context(), ada, draft.ID)
	var invalid *schema.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, Recorded, goOn(t, reflections(db, model{}), 3, 4).State)
	_, blocks, _ := look(t, db)
	require.Contains(t, blocks, "I hesitate")
}
