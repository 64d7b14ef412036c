package records

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Arrivals are the memories and events of one user that came after others.
type Arrivals struct {
	UserID           int64
	Memory, EventSeq int64 // the last ones before
}

// Include moves the beginning to before a memory and an event; 0 is none.
func (a *Arrivals) Include(memory, eventSeq int64) {
	if memory != 0 {
		a.Memory = min(a.Memory, memory-1)
	}
	if eventSeq != 0 {
		a.EventSeq = min(a.EventSeq, eventSeq-1)
	}
}

// Last returns the end of the memories and of the journal of the file, without a user.
func Last(ctx context.Context, s *schema.Snapshot) (a Arrivals, err error) {
	err = s.Row(ctx, "SELECT coalesce((SELECT max(id) FROM memories), 0), coalesce((SELECT max(seq) FROM events), 0)", nil, &a.Memory, &a.EventSeq)
	return a, err
}

// DropEvent deletes a message of the journal that no memory comes from.
func (a Arrivals) DropEvent(ctx context.Context, tx *schema.Tx, id string) error {
	_, err := tx.Exec(ctx, `DELETE FROM events WHERE user_id = ? AND id = ? AND topic IN (`+messages+`)
		AND NOT EXISTS (SELECT 1 FROM memories WHERE event_seq = events.seq)`, a.UserID, id)
	return err
}

// Episode is an episode whose entry in the journal is missing.
type Episode struct {
	schema.Memory

	Session string
	Taken   bool // its sequence number is another event's
}

// WithoutEvents lists the arrived episodes that have no entry in the journal.
func (a Arrivals) WithoutEvents(ctx context.Context, tx *schema.Tx) (lost []Episode, err error) {
	err = tx.NewRaw(`SELECT m.id, m.uid, m.user_id, coalesce(m.event_seq, 0) AS event_seq, m.agent, m.role, m.speaker, m.content, m.origin, m.trust,
			m.event_time, m.created_at, m.tags, m.attributes, coalesce(s.name, '') AS session, e.seq IS NOT NULL AS taken
		FROM memories m LEFT JOIN events e ON e.seq = m.event_seq LEFT JOIN sessions s ON s.id = m.session_id
		WHERE m.kind = 'episode' AND (e.seq IS NULL OR e.user_id <> m.user_id) AND m.user_id = ? AND m.id > ? ORDER BY m.id`,
		a.UserID, a.Memory).Scan(ctx, &lost)
	return lost, err
}

// Journal writes the entry of an episode, at its old sequence number where that is
// free: consumers have read past it, so they do not handle the message again.
func (e *Episode) Journal(ctx context.Context, tx *schema.Tx, id, topic string, payload []byte) error {
	var seq any
	if e.EventSeq != 0 && !e.Taken {
		seq = e.EventSeq
	}
	var stored int64
	if err := tx.Row(ctx, `INSERT INTO events (seq, user_id, id, topic, agent, session, origin, trust, payload, occurred_at, recorded_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
		[]any{seq, e.UserID, id, topic, e.Agent, e.Session, string(e.Origin), int64(e.Trust), string(payload), e.EventTime, e.CreatedAt}, &stored); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "UPDATE memories SET event_seq = ? WHERE id = ?", stored, e.ID)
	return err
}

// messages are the topics of messages, in SQL.
const messages = "'user.message', 'agent.response', 'tool.result'"

// WithoutEpisodes lists the arrived messages that have no episode, at most 500.
func (a Arrivals) WithoutEpisodes(ctx context.Context, tx *schema.Tx) (lost []schema.EventRow, err error) {
	err = tx.NewRaw(`SELECT * FROM events e
		WHERE e.topic IN (`+messages+`)
			AND e.seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL)
			AND e.seq NOT IN (SELECT id FROM erasing WHERE record = 'events') AND json_valid(e.payload) AND e.user_id = ? AND e.seq > ? ORDER BY e.seq LIMIT 500`,
		a.UserID, a.EventSeq).Scan(ctx, &lost)
	return lost, err
}

// Stored is an event of the journal with an id that an import brings again.
type Stored struct {
	Seq        int64
	ID         string
	Payload    []byte
	Session    string
	OccurredAt schema.Time
}

// StoredEvents reads the events of a user that have one of these ids.
func StoredEvents(ctx context.Context, run schema.Reads, userID int64, ids ...string) (stored []Stored, err error) {
	return schema.List(ctx, run, func(e *Stored) []any {
		return []any{&e.Seq, &e.ID, &e.Payload, &e.Session, &e.OccurredAt}
	}, "SELECT seq, id, payload, session, occurred_at FROM events WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))", userID, schema.JSONList(ids))
}
