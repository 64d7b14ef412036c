package schema

import (
	"context"
)

// Appended is the outcome of appending an event to the journal.
type Appended int

// The outcomes of appending an event.
const (
	EventStored    Appended = iota // it was written
	EventDuplicate                 // its id is in the journal already; nothing was written
	EventErased                    // its id was erased; nothing was written
)

// NewEvent is a row to append to the owner's journal, with the outcome.
type NewEvent struct {
	Owner Scope
	Row   *EventRow

	Appended Appended
}

// AppendEvents writes journal rows in order and sets Seq, RecordedAt, Appended and, if
// zero, OccurredAt of each. It does not write an id that the user's journal contains,
// also from the same call, and sets Seq to that of the first row. It does not write an
// id that was erased, and sets Seq to 0.
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

// LastSeq returns the last position of the journal that is settled, 0 if it is empty.
// unsettled means that there are later events: on a server, they wait until no earlier
// one can appear any more.
func (s *Snapshot) LastSeq(ctx context.Context) (seq int64, unsettled bool, err error) {
	before, err := s.Settled(ctx)
	if err != nil {
		return 0, false, err
	}
	var last int64
	if err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &last); err != nil || last < before {
		return last, false, err
	}
	err = s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE seq < ?", []any{before}, &seq)
	return seq, true, err
}

// SeqStep is how far apart the positions of two events can be that follow each other.
func (db *DB) SeqStep() int64 {
	if db.file == nil {
		return 1 << 20 // see ebb_next
	}
	return 1
}
