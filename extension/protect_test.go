package extension

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// asked puts the question whether a fact is to be protected.
func asked(t *testing.T, w *world, fact string) Confirmation {
	t.Helper()
	w.change(fact, func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		_, err := tx.Exec(ctx, "INSERT INTO confirmations (uid, user_id, memory_id, shown, state, created_at) VALUES ('q-' || ?, ?, ?, ?, 'pending', 0)", m.UID, m.UserID, m.ID, m.Content)
		return err
	})
	waiting, err := w.x.Confirmations(t.Context(), w.scope)
	require.NoError(t, err)
	return waiting[len(waiting)-1]
}

func TestGrantNeedsTokenOfShownText(t *testing.T) {
	x := openNew(t)
	w := &world{t: t, x: x, scope: ada}
	bob := &world{t: t, x: x, scope: Scope{User: "bob"}}
	bob.say("b1", "s", "Hello.")
	w.fact("The kettle is blue", 0.9)
	w.fact("The kettle is old", 0.9)
	var invalid *InvalidError

	q := asked(t, w, w.facts[0])
	require.ErrorAs(t, x.Grant(t.Context(), ada, q.ID, ""), &invalid)
	require.ErrorAs(t, x.Grant(t.Context(), ada, q.ID, q.Token+"x"), &invalid)
	require.ErrorIs(t, x.Grant(t.Context(), bob.scope, q.ID, q.Token), ErrNotFound, "another user's is as unknown")
	require.Zero(t, count(t, x, "SELECT count(*) FROM memories WHERE protected = 1"))
	require.NoError(t, x.Grant(t.Context(), ada, q.ID, q.Token))
	require.Equal(t, 1, count(t, x, "SELECT count(*) FROM memories WHERE protected = 1"))
	require.ErrorIs(t, x.Grant(t.Context(), ada, q.ID, q.Token), ErrNotFound, "a token is good once")

	q = asked(t, w, w.facts[1])
	w.exec("UPDATE memories SET content = 'The kettle is mine' WHERE user_id = ? AND content = 'The kettle is old'")
	require.ErrorIs(t, x.Grant(t.Context(), ada, q.ID, q.Token), ErrConflict, "the text has changed in between")
	require.Equal(t, 1, count(t, x, "SELECT count(*) FROM memories WHERE protected = 1"))
}
