package schema

import (
	"context"
	"database/sql"
	"errors"
)

// LastRun is the user's newest consolidation run; [ErrNotFound] before the first.
func (s *Snapshot) LastRun(ctx context.Context, userID int64) (*Run, error) {
	run := new(Run)
	err := s.NewSelect().Model(run).Where("user_id = ?", userID).Order("started_at DESC", "id DESC").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	return run, err
}
