package schema

import (
	"context"
)

// AppendEvent writes one journal row and sets its Seq, RecordedAt and, when
// zero, OccurredAt. For an id this user has journalled before it writes
// nothing, sets Seq to the first row's, and reports duplicate.
func (tx *Tx) AppendEvent(ctx context.Context, e *EventRow) (duplicate bool, err error) {
	e.RecordedAt = At(tx.Now)
	if e.OccurredAt.IsZero() {
		e.OccurredAt = e.RecordedAt
	}
	var id any
	if e.ID != "" {
		id = e.ID
	}
	seq, err := tx.Insert(ctx, `INSERT INTO events (user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.UserID, id, e.Topic, e.Agent, e.Session, string(e.Origin), int64(e.Trust), string(e.Payload), e.OccurredAt, e.RecordedAt)
	if err != nil {
		return false, err
	}
	if seq == 0 {
		err = tx.Row(ctx, "SELECT seq FROM events WHERE user_id = ? AND id = ?", []any{e.UserID, e.ID}, &e.Seq)
		return true, err
	}
	e.Seq = seq
	return false, nil
}

// LastSeq is the journal's newest position; 0 for an empty journal.
func (s *Snapshot) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &seq)
	return seq, err
}
