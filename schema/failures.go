package schema

import (
	"context"
	"strings"
)

// Failure is the last error of a source of background work, with a count. It contains no
// user text.
type Failure struct {
	Source  string `json:"source"`
	UserID  int64  `json:"-"`
	Error   string `json:"error"`
	Count   int64  `json:"count"`
	FirstAt Time   `json:"first_at"`
	LastAt  Time   `json:"last_at"`
}

// maxFailure is how much of an error's text is kept, in bytes.
const maxFailure = 1000

// RecordFailure stores the newest error of a source and user, and counts it. source
// names the work, such as "night" or "enrich"; userID is 0 for work of no user. A nil
// error records nothing.
//
// Errors: [*InvalidError] for an empty source.
func (tx *Tx) RecordFailure(ctx context.Context, source string, userID int64, failure error) error {
	if failure == nil {
		return nil
	}
	if source == "" {
		return &InvalidError{Field: "source", Reason: "is empty; say which work failed"}
	}
	reason := failure.Error()
	if len(reason) > maxFailure {
		reason = reason[:maxFailure]
	}
	now := At(tx.Now)
	_, err := tx.Exec(ctx, `INSERT INTO failures (source, user_id, error, count, first_at, last_at) VALUES (?, ?, ?, 1, ?, ?)
		ON CONFLICT (source, user_id) DO UPDATE SET error = excluded.error, count = failures.count + 1, last_at = excluded.last_at`,
		source, userID, strings.ToValidUTF8(strings.ReplaceAll(reason, "\x00", ""), ""), now, now)
	return err
}

// ClearFailure deletes a source's failures, once its work succeeds again.
func (tx *Tx) ClearFailure(ctx context.Context, source string, userID int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM failures WHERE source = ? AND user_id = ?", source, userID)
	return err
}

// Failures returns all failures, newest first.
func Failures(ctx context.Context, q Querier) (failures []Failure, err error) {
	return List(ctx, q.QueryContext, func(f *Failure) []any {
		return []any{&f.Source, &f.UserID, &f.Error, &f.Count, &f.FirstAt, &f.LastAt}
	}, "SELECT source, user_id, error, count, first_at, last_at FROM failures ORDER BY last_at DESC, source, user_id")
}
