package consolidate_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/schema"
)

func TestRecalledIsCountedOnce(t *testing.T) {
	db, c := aged(t)
	shown := derived(t, db, "Karim likes trams")
	dormant := derived(t, db, "faded", func(m *schema.Memory) { m.State = schema.StateDormant })
	other := remember(t, db, schema.Scope{User: "bob"}, schema.Memory{Content: "Bob's"})
	var seq int64
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		e := &schema.EventRow{UserID: shown.UserID, ID: "r1", Topic: "memory.recalled", Origin: schema.OriginUnknown, Payload: json.RawMessage("{}")}
		err := tx.AppendEvents(ctx, &schema.NewEvent{Owner: ada, Row: e})
		seq = e.Seq
		return err
	}))
	items := []enrich.RecalledItem{{ID: shown.UID, Rank: 1, Score: .9}, {ID: dormant.UID, Rank: 2, Score: .4}, {ID: other.UID, Rank: 3}}
	at := c.time().AddDate(0, 0, 1)
	for range 3 {
		require.NoError(t, enrich.ApplyRecalled(t.Context(), db, ada, seq, "memory", "trams?", items, at))
	}
	got := reread(t, db, shown)
	require.EqualValues(t, 1, got.AccessCount)
	require.True(t, got.LastAccessed.Equal(at))
	require.Equal(t, schema.StateActive, reread(t, db, dormant).State, "dormant memories wake")
	require.Zero(t, reread(t, db, other).AccessCount, "another user's memory is not touched")
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		var shownItems string
		require.NoError(t, s.NewRaw("SELECT items FROM injections WHERE event_seq = ?", seq).Scan(ctx, &shownItems))
		var back []enrich.RecalledItem
		require.NoError(t, json.Unmarshal([]byte(shownItems), &back))
		require.Equal(t, items, back)
		return nil
	}))
	require.ErrorIs(t, enrich.ApplyRecalled(t.Context(), db, ada, seq+1, "memory", "", nil, at), schema.ErrNotFound)
	var invalid *schema.InvalidError
	require.ErrorAs(t, enrich.ApplyRecalled(t.Context(), db, ada, seq, "radio", "", nil, at), &invalid)
	require.Equal(t, "channel", invalid.Field)
}
