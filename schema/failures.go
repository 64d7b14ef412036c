package schema

import (
	"context"
	"strings"
)

// Failure is what one source of background work reported last, and how often
// it failed. A text of a user is never part of it. [Failure.Kind] tells faults of
// the disk from others.
type Failure struct {
	Source  string `json:"source"`
	UserID  int64  `json:"-"`
	Error   string `json:"error"`
	Count   int64  `json:"count"`
	FirstAt Time   `json:"first_at"`
	LastAt  Time   `json:"last_at"`
}

// Kind is the error that the failure was: [ErrDiskFull], [ErrIO], [ErrCorrupt] or
// another of this package's; nil for one that has no name here. errors.Is tells
// them apart.
func (f Failure) Kind() error { return FaultKind(f.Error) }

// maxFailure is how much of an error's text is kept, in bytes.
const maxFailure = 1000

// RecordFailure remembers that background work failed: the newest error of
// each source and user, and the count. source says which work, for instance
// "night" or "enrich"; userID is 0 for work that belongs to no user. A nil
// error records nothing.
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
		ON CONFLICT (source, user_id) DO UPDATE SET error = excluded.error, count = count + 1, last_at = excluded.last_at`,
		source, userID, strings.ToValidUTF8(strings.ReplaceAll(reason, "\x00", ""), ""), now, now)
	return err
}

// ClearFailure forgets a source's failures, for work that succeeds again.
func (tx *Tx) ClearFailure(ctx context.Context, source string, userID int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM failures WHERE source = ? AND user_id = ?", source, userID)
	return err
}

// Failures lists what failed, newest first.
func Failures(ctx context.Context, q Querier) (failures []Failure, err error) {
	rows, err := q.QueryContext(ctx, "SELECT source, user_id, error, count, first_at, last_at FROM failures ORDER BY last_at DESC, source, user_id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var f Failure
		if err := rows.Scan(&f.Source, &f.UserID, &f.Error, &f.Count, &f.FirstAt, &f.LastAt); err != nil {
			return nil, err
		}
		failures = append(failures, f)
	}
	return failures, rows.Err()
}
