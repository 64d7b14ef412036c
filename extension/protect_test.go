package extension

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// asked puts the question whether a fact is to be protected.
func asked(t *testing.T, w *world, fact string) Proposal {
	t.Helper()
	w.change(fact, func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		_, err := tx.AskProtection(ctx, m, schema.Actor{Name: "model"})
		return err
	})
	waiting, err := w.x.Proposals(t.Context(), w.scope)
	require.NoError(t, err)
	return waiting[len(waiting)-1]
}

func TestApproveProtectsWhatWasShown(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	bob := &world{t: t, x: x, scope: Scope{User: "bob"}}
	bob.say("b1", "s", "Hello.")
	for _, fact := range []string{"The kettle is blue", "The kettle is old", "The kettle is <b>loud</b> & hot", "The kettle is mine", "The kettle leaks", "The kettle sings", "The kettle obeys"} {
		w.fact(fact, 0.9)
	}
	protected := func() int { return count(t, x, "SELECT count(*) FROM memories WHERE protected = 1") }

	q := asked(t, w, w.facts[0])
	require.Equal(t, "The kettle is blue", q.Content)
	require.ErrorIs(t, x.Approve(t.Context(), bob.scope, q.ID), ErrNotFound, "another user's is as unknown")
	require.Zero(t, protected())
	require.NoError(t, x.Approve(t.Context(), ada, q.ID))
	require.Equal(t, 1, protected())
	require.ErrorIs(t, x.Approve(t.Context(), ada, q.ID), ErrNotFound, "it is decided once")

	q = asked(t, w, w.facts[2])
	require.Equal(t, "The kettle is <b>loud</b> & hot", q.Content)
	require.NoError(t, x.Approve(t.Context(), ada, q.ID))
	require.Equal(t, 2, protected())

	q = asked(t, w, w.facts[1])
	w.exec("UPDATE memories SET content = 'The kettle is new' WHERE user_id = ? AND content = 'The kettle is old'")
	require.ErrorIs(t, x.Approve(t.Context(), ada, q.ID), ErrConflict, "the text has changed in between")

	before, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	for i, state := range map[int]string{3: "superseded", 4: "retired", 5: "forgotten", 6: "quarantined"} {
		q = asked(t, w, w.facts[i])
		w.exec("UPDATE memories SET state = ?2 WHERE user_id = ?1 AND uid = ?3", state, w.facts[i])
		waiting, err := x.Proposals(t.Context(), ada)
		require.NoError(t, err)
		require.Equal(t, before, waiting, state)
		require.ErrorIs(t, x.Approve(t.Context(), ada, q.ID), ErrConflict, state)
	}
	require.NoError(t, x.Reject(t.Context(), ada, q.ID), "it can be closed")
	require.Equal(t, 2, protected())
}

func TestProtectEndsTheQuestion(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	w.fact("The kettle is blue", 0.9)
	w.fact("The kettle is old", 0.9)
	other := asked(t, w, w.facts[1])
	asked(t, w, w.facts[0])
	require.NoError(t, x.Protect(t.Context(), ada, w.facts[0]))
	waiting, err := x.Proposals(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, []Proposal{other}, waiting)
	require.Equal(t, 1, count(t, x, "SELECT count(*) FROM proposals WHERE state = 'applied' AND decided_by = 'host'"))
}

// Undoing the run that made a memory takes the question about it along.
func TestUndoneMemoryTakesItsQuestionAlong(t *testing.T) {
	l := newDiary(t)
	l.says("My dentist is Dr Rao.")
	l.tool("confirm_fact", map[string]any{"memory_id": l.claimed()[0].UID})
	require.Equal(t, 1, count(t, l.x, "SELECT count(*) FROM proposals"))
	undone, err := l.x.Undo(t.Context(), dora, l.runs("said")[0].UID)
	require.NoError(t, err)
	require.Empty(t, undone.Kept)
	require.Empty(t, l.claimed())
	require.Zero(t, count(t, l.x, "SELECT count(*) FROM proposals"))
}
