package schema

import (
	"context"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
)

// Injection is the record that memories were shown to a model.
type Injection struct {
	UserID   int64
	EventSeq int64 // of the event memory.recalled
	Session  string
	Channel  string // memory, model or tool
	Query    string
	Items    string // JSON
	ShownAt  Time
}

// RecordInjection stores an injection. It reports false if the event was
// recorded before. [ErrNotFound] if the journal has no such event of the user.
func (tx *Tx) RecordInjection(ctx context.Context, i *Injection) (recorded bool, err error) {
	var known bool
	if err := tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE seq = ? AND user_id = ?)", []any{i.EventSeq, i.UserID}, &known); err != nil {
		return false, err
	}
	if !known {
		return false, fmt.Errorf("event %d: %w", i.EventSeq, ErrNotFound)
	}
	n, err := engine.Affected(tx.Exec(ctx, `INSERT INTO injections (user_id, event_seq, session, channel, query, items, shown_at)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_seq) DO NOTHING`, i.UserID, i.EventSeq, i.Session, i.Channel, i.Query, i.Items, i.ShownAt))
	return n > 0, err
}

// InjectionsOf returns the items and times of the injections of a session from one time to
// another, both included.
func (s *Snapshot) InjectionsOf(ctx context.Context, userID int64, session string, since, until time.Time) (injections []Injection, err error) {
	return List(ctx, s.Query, func(i *Injection) []any {
		return []any{&i.Items, &i.ShownAt}
	}, injectionsOf, userID, session, since.UnixMilli(), until.UnixMilli())
}

const injectionsOf = "SELECT items, shown_at FROM injections WHERE user_id = ? AND session = ? AND shown_at BETWEEN ? AND ?"
