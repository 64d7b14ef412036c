package consolidate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// RecalledItem is one memory that was shown to a model.
type RecalledItem struct {
	ID    string  `json:"uid"`  // the memory's public id
	Rank  int     `json:"rank"` // from 1; 0 for what a core section quoted, which is no access
	Score float64 `json:"score"`
}

// ApplyRecalled books that memories were shown to a model: each with a rank
// counts one access at the given time, dormant ones wake, and the injection is
// recorded with its query and items. channel is memory, model or tool.
//
// eventSeq, the journal position of the memory.recalled event, makes it happen
// once: applying the same event again changes nothing.
//
// Errors: [*schema.InvalidError] for the scope or channel,
// [schema.ErrNotFound] when the journal has no such event of this user.
func ApplyRecalled(ctx context.Context, db *schema.DB, scope schema.Scope, eventSeq int64, channel, query string, items []RecalledItem, at time.Time) error {
	if err := scope.Validate(); err != nil {
		return err
	}
	if !slices.Contains([]string{"memory", "model", "tool"}, channel) {
		return &schema.InvalidError{Field: "channel", Reason: "is not one of memory, model, tool"}
	}
	if items == nil {
		items = []RecalledItem{}
	}
	shown, err := json.Marshal(items)
	if err != nil {
		return &schema.InvalidError{Field: "items", Reason: "cannot be written as JSON: " + err.Error()}
	}
	var uids []string
	for _, item := range items {
		if item.Rank > 0 {
			uids = append(uids, item.ID)
		}
	}
	return db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		var known bool
		if err := tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE seq = ? AND user_id = ?)", []any{eventSeq, userID}, &known); err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("event %d: %w", eventSeq, schema.ErrNotFound)
		}
		res, err := tx.Exec(ctx, `INSERT INTO injections (user_id, event_seq, session, channel, query, items, shown_at)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_seq) DO NOTHING`,
			userID, eventSeq, scope.Session, channel, query, string(shown), schema.At(at))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return tx.Touch(ctx, userID, uids, at)
	})
}
