package erase_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/undo"
)

// A night's changes are undone after some of what it worked on was erased: the
// rest is taken back, what was erased is passed over and named.
func TestUndoAfterErase(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	gone, err := memtest.Say(t.Context(), db, ada, "The harbour is grey")
	require.NoError(t, err)
	stays, err := memtest.Say(t.Context(), db, ada, "The kettle is green")
	require.NoError(t, err)
	both := map[int64]string{gone.ID: "grey", stays.ID: "green"}
	var run int64
	var claims [2]*schema.Memory
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		if err := tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES ('r1', ?, 'night', 'done', 5) RETURNING id", []any{userID}, &run); err != nil {
			return err
		}
		by := schema.Actor{Name: "night", RunID: run}
		for i, content := range []string{"It is a grey harbour", "It is a green kettle"} {
			claims[i] = &schema.Memory{UserID: userID, Kind: schema.KindFact, Content: content, Confidence: .8, Origin: schema.OriginUser, Trust: 4}
			if err := tx.AddDerived(ctx, claims[i], schema.PrepareChunks(content, ""), both, by); err != nil {
				return err
			}
			if err := tx.SetState(ctx, claims[i], schema.StateDormant, by); err != nil {
				return err
			}
		}
		if err := tx.Advance(ctx, userID, "extract", stays.ID, by); err != nil {
			return err
		}
		return tx.Advance(ctx, userID, "reflect", gone.ID, by)
	})
	receipt, err := erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{gone.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	require.Equal(t, []string{claims[1].UID}, receipt.Rederived)
	var undone *undo.Result
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		undone, err = undo.Run(ctx, tx, user, "r1", schema.Actor{Name: "undo"})
		return err
	}))
	erased := 0
	for _, k := range undone.Kept {
		if k.Reason == "was erased since" {
			erased++
			require.Empty(t, k.ID)
		}
	}
	require.Equal(t, 2, erased, "the claim and its change: %v", undone.Kept)
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		through, err := s.Watermark(ctx, user, "extract")
		require.NoError(t, err)
		require.Zero(t, through)
		through, err = s.Watermark(ctx, user, "reflect")
		require.Zero(t, through)
		return err
	})
}

// An erasure before a watermark leaves it; one of the memory it stands at moves
// it to the one before, so that nothing is worked on twice.
func TestWatermarksAfterErase(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	var told [3]*schema.Memory
	for i, content := range []string{"one", "two", "three"} {
		var err error
		told[i], err = memtest.Say(t.Context(), db, ada, content)
		require.NoError(t, err)
	}
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		return tx.Advance(ctx, userID, "extract", told[1].ID, schema.Actor{Name: "night"})
	})
	at := func() (through int64) {
		memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) (err error) {
			through, err = s.Watermark(ctx, user, "extract")
			return err
		})
		return through
	}
	_, err := erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{told[1].UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	require.Equal(t, told[0].ID, at())
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{told[0].UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	require.Zero(t, at())
}

func TestErasedEvidenceLowersConfidence(t *testing.T) {
	const confidence = 0.8
	stronger := confidence + 0.75*schema.EvidenceShare*(1-confidence)
	require.InDelta(t, confidence, erase.ConfidenceWithout(stronger, 1-0.75*schema.EvidenceShare), 1e-12)
	require.Zero(t, erase.ConfidenceWithout(0.1, 0.5))
	require.Equal(t, 1., erase.ConfidenceWithout(1, 0.7))
	require.Zero(t, erase.ConfidenceWithout(0.5, 0))
}

// A model is shown more than its reflection cites.
func TestReflectionRepeatingErasedTextIsErased(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	var told [3]*schema.Memory
	for i, content := range []string{"The harbour is grey", "The kettle is green", "The spoon is old"} {
		var err error
		told[i], err = memtest.Say(t.Context(), db, ada, content)
		require.NoError(t, err)
	}
	cited := map[int64]string{told[1].ID: "", told[2].ID: ""}
	insights := make(map[string]*schema.Memory)
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		for _, content := range []string{"Ada keeps old things by the harbour", "Ada keeps old things, she says"} {
			m := &schema.Memory{UserID: userID, Kind: schema.KindReflection, Content: content, Confidence: .7, Origin: schema.OriginUser, Trust: 4}
			insights[content] = m
			if err := tx.AddDerived(ctx, m, schema.PrepareChunks(content, ""), cited, schema.Actor{Name: "night"}); err != nil {
				return err
			}
		}
		return nil
	})
	_, err := erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{told[0].UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		_, err := s.Memory(ctx, user, insights["Ada keeps old things by the harbour"].UID)
		require.ErrorIs(t, err, schema.ErrNotFound)
		_, err = s.Memory(ctx, user, insights["Ada keeps old things, she says"].UID)
		return err
	})
}

// Until an erasure has swept the history, undoing a run could bring erased words back.
func TestNoUndoDuringAnErasure(t *testing.T) {
	now := day(time.May, 1)
	db := openAt(t, &now)
	gone, err := memtest.Say(t.Context(), db, ada, "The harbour is grey")
	require.NoError(t, err)
	user := memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		_, err := tx.Exec(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at) VALUES ('r1', ?, 'night', 'done', 5)", userID)
		return err
	})
	_, err = erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{gone.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	undoes := func() error {
		return db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			_, err := undo.Run(ctx, tx, user, "r1", schema.Actor{Name: "undo"})
			return err
		})
	}
	memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, _ int64) error { // as after a kill
		_, err := tx.Exec(ctx, "UPDATE erasures SET state = 'erasing'")
		return err
	})
	require.ErrorIs(t, undoes(), schema.ErrConflict)
	_, err = erase.Finish(t.Context(), db)
	require.NoError(t, err)
	require.NoError(t, undoes())
}
