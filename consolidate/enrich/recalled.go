package enrich

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// RecalledItem is a memory that was shown to a model.
type RecalledItem struct {
	ID    string  `json:"uid"`  // the memory's public id
	Rank  int     `json:"rank"` // from 1; 0 for one that was not searched for, which is no access
	Score float64 `json:"score"`
}

// ApplyRecalled records that memories were shown to a model. Each with a rank
// counts one access at the given time, and dormant ones become active. channel is
// memory, model or tool. eventSeq is the position of the memory.recalled event in
// the journal; applying an event again changes nothing.
//
// Errors: [*schema.InvalidError] for the scope or channel, [schema.ErrNotFound]
// if the journal has no such event of this user, or there is no such user.
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
	return db.WriteUser(ctx, scope, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		recorded, err := tx.RecordInjection(ctx, &schema.Injection{
			UserID: userID, EventSeq: eventSeq, Session: scope.Session, Channel: channel, Query: query, Items: string(shown), ShownAt: schema.At(at),
		})
		if err != nil || !recorded {
			return err
		}
		return tx.Touch(ctx, userID, uids, at)
	})
}
