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

// NewEvent is a row for the journal of whoever it belongs to, and what becomes of it.
type NewEvent struct {
	Owner Scope
	Row   *EventRow

	Appended Appended
}

// AppendEvents writes journal rows in order and sets of each its Seq, RecordedAt
// and, when zero, OccurredAt, and what became of it. For an id that its user has
// journalled before, in the same call too, it writes nothing and sets Seq to the
// first row's. An id of the owner's that was erased stays erased: nothing is
// written, and Seq is 0.
func (tx *Tx) AppendEvents(ctx context.Context, events ...*NewEvent) error {
	fresh := make([]*NewEvent, 0, len(events))
	values := make([]any, 0, insertEvents.columns*len(events))
	for _, event := range events {
		e := event.Row
		e.RecordedAt = At(tx.Now)
		if e.OccurredAt.IsZero() {
			e.OccurredAt = e.RecordedAt
		}
		if e.ID != "" {
			erased, err := tx.Erased(ctx, event.Owner, TombstoneEvent, e.ID)
			if err != nil {
				return err
			}
			if erased {
				e.Seq, event.Appended = 0, EventErased
				continue
			}
		}
		fresh = append(fresh, event)
		values = append(values, e.UserID, nullText(e.ID), e.Topic, e.Agent, e.Session, string(e.Origin), int64(e.Trust),
			string(e.Payload), e.OccurredAt, e.RecordedAt)
	}
	err := tx.insert(ctx, insertEvents, values, func(i int, seq int64) {
		fresh[i].Row.Seq, fresh[i].Appended = seq, EventStored
		if seq == 0 {
			fresh[i].Appended = EventDuplicate
		}
	})
	if err != nil {
		return err
	}
	for _, event := range fresh {
		if e := event.Row; event.Appended == EventDuplicate {
			if err := tx.Row(ctx, "SELECT seq FROM events WHERE user_id = ? AND id = ?", []any{e.UserID, e.ID}, &e.Seq); err != nil {
				return err
			}
		}
	}
	return nil
}

var insertEvents = newInsertion("events",
	"user_id", "id", "topic", "agent", "session", "origin", "trust", "payload", "occurred_at", "recorded_at").orPassOver()

// LastSeq is the journal's newest position; 0 for an empty journal.
func (s *Snapshot) LastSeq(ctx context.Context) (seq int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &seq)
	return seq, err
}
