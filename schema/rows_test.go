package schema_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/undo"
)

// What a run did is undone to what it did it to, and to nothing that came
// after: an erased row's number is not given to another user's.
func TestUndoIsPerUser(t *testing.T) {
	db := open(t)
	night, bob := schema.Actor{Name: "night"}, schema.Scope{User: "bob"}
	what := map[string]func(ctx context.Context, tx *schema.Tx, userID int64, about string, by schema.Actor) error{
		"proposals": func(ctx context.Context, tx *schema.Tx, userID int64, about string, by schema.Actor) error {
			_, _, err := tx.Propose(ctx, userID, "merge", map[string]string{"about": about}, "a reason", by)
			return err
		},
		"gaps": func(ctx context.Context, tx *schema.Tx, userID int64, about string, by schema.Actor) error {
			return tx.OpenGap(ctx, userID, "extract", []string{about}, "a reason", by)
		},
		"entities": func(ctx context.Context, tx *schema.Tx, userID int64, about string, by schema.Actor) error {
			e, err := tx.CreateEntity(ctx, userID, schema.EntityName, "Vera", .8)
			if err == nil {
				err = tx.Summarise(ctx, e, "She is known", by)
			}
			return err
		},
	}
	said, err := memtest.Say(t.Context(), db, ada, "The zebrafinch sings")
	require.NoError(t, err)
	first := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		by := night
		if err := tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES ('r1', ?, 'night', 'done', 5) RETURNING id", []any{userID}, &by.RunID); err != nil {
			return err
		}
		for _, do := range what {
			if err := do(ctx, tx, userID, said.UID, by); err != nil {
				return err
			}
		}
		var vera int64
		if err := tx.Row(ctx, "SELECT id FROM entities WHERE user_id = ?", []any{userID}, &vera); err != nil {
			return err
		}
		return tx.LinkEntity(ctx, said.ID, vera, "Vera", .8)
	})
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{said.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	count := func(table string) (n int64) {
		t.Helper()
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT count(*) FROM "+table, nil, &n)
		})
		return n
	}
	for table := range what {
		require.Zero(t, count(table), table)
	}
	memtest.Write(t, db, bob, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		for _, do := range what {
			if err := do(ctx, tx, userID, "bob's", night); err != nil {
				return err
			}
		}
		return nil
	})
	for table := range what {
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
			var shared int64
			err := s.Row(ctx, "SELECT count(*) FROM ops JOIN "+table+" AS x ON x.id = record_id WHERE record = ? AND ops.user_id <> x.user_id", []any{table}, &shared)
			require.Zero(t, shared, "%s: the audit of one user speaks of another's row", table)
			return err
		})
	}
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		undone, err := undo.Run(ctx, tx, first, "r1", schema.Actor{Name: "undo"})
		for _, k := range undone.Kept {
			require.Empty(t, k.ID)
		}
		return err
	}))
	for table := range what {
		require.EqualValues(t, 1, count(table), table)
	}
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		var summary string
		err := s.Row(ctx, "SELECT summary FROM entities", nil, &summary)
		require.Equal(t, "She is known", summary)
		return err
	})
}

// A process knows a session by its number. When another one has erased it and
// given the number to somebody else's, nothing is written into that.
func TestReusedSessionIDOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var dbs [2]*schema.DB
	for i := range dbs {
		db, err := schema.Open(t.Context(), path, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		dbs[i] = db
	}
	monday := schema.Scope{User: "ada", Session: "monday"}
	before, err := memtest.Say(t.Context(), dbs[1], monday, "The kettle is green")
	require.NoError(t, err)
	_, err = erase.Run(t.Context(), dbs[0], monday, erase.Erasure{Sessions: []string{"monday"}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	strangers, err := memtest.Say(t.Context(), dbs[0], schema.Scope{User: "bob", Session: "secret"}, "The harbour is grey")
	require.NoError(t, err)
	if dbs[0].Capabilities().File {
		require.Equal(t, before.SessionID, strangers.SessionID, "the test needs the number given again")
	}
	after, err := memtest.Say(t.Context(), dbs[1], monday, "The kettle is blue")
	require.NoError(t, err)
	require.NotEqual(t, strangers.SessionID, after.SessionID)
	memtest.Read(t, dbs[0], func(ctx context.Context, s *schema.Snapshot) error {
		var astray int64
		err := s.Row(ctx, "SELECT count(*) FROM memories m JOIN sessions s ON s.id = m.session_id WHERE s.user_id <> m.user_id", nil, &astray)
		require.Zero(t, astray)
		return err
	})
}
