package schema

import (
	"context"
	"database/sql"
	"errors"
	"strings"
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
		if e.ID != "" && tx.file != nil {
			erased, err := tx.Erased(ctx, event.Owner, TombstoneEvent, e.ID)
			if err != nil {
				return err
			}
			if erased {
				e.Seq, event.Appended = 0, EventErased
				continue
			}
		}
		values = append(values, e.UserID, nullText(e.ID), e.Topic, e.Agent, e.Session, string(e.Origin), int64(e.Trust),
			string(e.Payload), e.OccurredAt, e.RecordedAt)
		if tx.file == nil && !tx.again && len(fresh) == 0 {
			// That the id is new is taken for granted. Otherwise this write fails and runs
			// again, and asks then.
			into, row := insertReport, values
			if e.ID != "" {
				into, row = insertNewEvent, append([]any{Tombstone(event.Owner, TombstoneEvent, e.ID)}, values...)
			}
			seq, ok, err := tx.insertNumbered(ctx, into, row)
			if err != nil {
				return err
			}
			if ok {
				e.Seq, event.Appended, values = seq, EventStored, values[:0]
				continue
			}
		}
		if tx.file == nil {
			values = append(values, Tombstone(event.Owner, TombstoneEvent, e.ID))
		}
		fresh = append(fresh, event)
	}
	into := insertEvents
	if tx.file == nil {
		into = insertUnerased
	}
	err := tx.insert(ctx, into, values, func(i int, seq int64) {
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
			err := tx.Row(ctx, "SELECT seq FROM events WHERE user_id = ? AND id = ?", []any{e.UserID, e.ID}, &e.Seq)
			if errors.Is(err, sql.ErrNoRows) {
				event.Appended = EventErased
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	insertReport = newInsertion("events",
		"user_id", "id", "topic", "agent", "session", "origin", "trust", "payload", "occurred_at", "recorded_at").inOrder("seq", 0)
	insertEvents = insertion{columns: insertReport.columns, one: insertReport.one, many: insertReport.many}.orPassOver()
	// insertNewEvent fails if there is a tombstone, the first value.
	insertNewEvent = insertion{table: "events", user: 1,
		numbered: strings.Replace(insertReport.numbered, "(?", "(CASE WHEN EXISTS (SELECT 1 FROM tombstones WHERE id_hash = ?2) THEN ebb_again() ELSE ?1 END", 1)}
)

// insertUnerased also ignores an event with a tombstone, the last value.
var insertUnerased = insertion{columns: insertEvents.columns + 1, passOver: true,
	one: strings.NewReplacer("VALUES (", "SELECT ", ")"+passOver, " WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE id_hash = ?)"+passOver).Replace(insertEvents.one)}
