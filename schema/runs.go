package schema

import (
	"context"
	"database/sql"
	"errors"
)

// LastRun is the user's newest consolidation run; [ErrNotFound] before the first.
func (s *Snapshot) LastRun(ctx context.Context, userID int64) (*Run, error) {
	run := new(Run)
	err := s.NewSelect().Model(run).Where("user_id = ?", userID).Order("id DESC").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	return run, err
}

// Runs lists the user's consolidation runs, newest first, at most limit; 0
// lists all.
func (s *Snapshot) Runs(ctx context.Context, userID int64, limit int) ([]Run, error) {
	var runs []Run
	q := s.NewSelect().Model(&runs).Where("user_id = ?", userID).Order("id DESC")
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	err := q.Scan(ctx)
	return runs, err
}

// RunTotals add up what all of a user's runs asked of a model, undone and
// failed ones too: what was spent is spent.
type RunTotals struct {
	Runs         int64   `json:"runs"`
	Calls        int64   `json:"calls"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	Cost         float64 `json:"cost,omitempty"`
	// Faults are calls that failed and answers of no use. Nothing clears them.
	Faults int64 `json:"faults"`
}

// RunTotals adds up the user's runs.
func (s *Snapshot) RunTotals(ctx context.Context, userID int64) (t RunTotals, err error) {
	err = s.Row(ctx, `SELECT count(*), coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
		coalesce(sum(cost), 0.0), coalesce(sum(faults), 0) FROM runs WHERE user_id = ?`, []any{userID},
		&t.Runs, &t.Calls, &t.InputTokens, &t.OutputTokens, &t.Cost, &t.Faults)
	return t, err
}
