package schema

import (
	"context"
)

// Appended is what became of an event that was to be written to the journal.
type Appended int

// What can become of one.
const (
	EventStored    Appended = iota // it is new
	EventDuplicate                 // its id was journalled before; nothing was written
	EventErased                    // its id was erased; nothing was written
)

// AppendEvent writes one journal row and sets its Seq, RecordedAt and, when
// zero, OccurredAt. For an id this user has journalled before it writes
// nothing and sets Seq to the first row's. An id of owner's that was erased
// stays erased: nothing is written, and Seq is 0.
func (tx *Tx) AppendEvent(ctx context.Context, owner Scope, e *EventRow) (Appended, error) {
	e.RecordedAt = At(tx.Now)
	if e.OccurredAt.IsZero() {
		e.OccurredAt = e.RecordedAt
	}
	var id any
	if e.ID != "" {
		id = e.ID
		if erased, err := tx.Erased(ctx, owner, TombstoneEvent, e.ID); erased || err != nil {
			e.Seq = 0
			return EventErased, err
		}
	}
	seq, err := tx.Insert(ctx, `INSERT INTO events (user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.UserID, id, e.Topic, e.Agent, e.Session, string(e.Origin), int64(e.Trust), string(e.Payload), e.OccurredAt, e.RecordedAt)
	if err != nil {
		return EventStored, err
	}
	if seq == 0 {
		err = tx.Row(ctx, "SELECT seq FROM events WHERE user_id = ? AND id = ?", []any{e.UserID, e.ID}, &e.Seq)
		return EventDuplicate, err
	}
	e.Seq = seq
	return EventStored, nil
}

// LastSeq is the journal's newest position; 0 for an empty journal.
func (s *Snapshot) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &seq)
	return seq, err
}
