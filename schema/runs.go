package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// LastRun is the newest run that consolidated the user's memory, not one of
// [CauseSaid] or [CauseHost]; [ErrNotFound] before the first.
func (s *Snapshot) LastRun(ctx context.Context, userID int64) (*Run, error) {
	run := new(Run)
	err := s.NewSelect().Model(run).Where("user_id = ? AND cause NOT IN (?, ?)", userID, CauseSaid, CauseHost).Order("id DESC").Limit(1).Scan(ctx)
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
		coalesce(sum(cost), 0.0), coalesce(sum(faults), 0) FROM runs WHERE user_id = ? AND cause NOT IN ('said', 'host')`, []any{userID},
		&t.Runs, &t.Calls, &t.InputTokens, &t.OutputTokens, &t.Cost, &t.Faults)
	return t, err
}

// CauseSaid is the cause of runs that hold what one message of the user's changed
// at once, and CauseHost of what a host changed and can take back.
const (
	CauseSaid = "said"
	CauseHost = "host"
)

// RunState finds a run by its public id: its row and state. [ErrNotFound] when
// the user has none of that id.
func (tx *Tx) RunState(ctx context.Context, userID int64, uid string) (id int64, state string, err error) {
	err = tx.Row(ctx, "SELECT id, state FROM runs WHERE uid = ? AND +user_id = ?", []any{uid, userID}, &id, &state)
	return id, state, OrNotFound(err)
}

// BeginRun adds a run to the ledger whose changes are all made in this write.
func (tx *Tx) BeginRun(ctx context.Context, userID int64, uid, cause string) (id int64, err error) {
	return tx.Insert(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at, finished_at) VALUES (?, ?, ?, 'done', ?, ?)",
		uid, userID, cause, At(tx.Now), At(tx.Now))
}

// EndRun stores the report of a run, which grows when more is added to it; a run
// that changed nothing is taken out of the ledger again.
func (tx *Tx) EndRun(ctx context.Context, id int64, report func(before string) (after string, err error)) error {
	var before string
	if err := tx.Row(ctx, "SELECT stages FROM runs WHERE id = ?", []any{id}, &before); err != nil {
		return err
	}
	after, err := report(before)
	switch {
	case err != nil:
		return err
	case after == "":
		_, err = tx.Exec(ctx, "DELETE FROM runs WHERE id = ?", id)
	default:
		_, err = tx.Exec(ctx, "UPDATE runs SET stages = ? WHERE id = ?", after, id)
	}
	return err
}

// RunningRun returns the user's run of a cause and local day that has not ended;
// [ErrNotFound] for none.
func (tx *Tx) RunningRun(ctx context.Context, userID int64, cause, day string) (*Run, error) {
	r := &Run{UserID: userID, Cause: cause, LocalDay: day, State: "running"}
	var stages string
	err := tx.Row(ctx, `SELECT id, uid, stages, calls, input_tokens, output_tokens, cost, faults FROM runs
		WHERE user_id = ? AND state = 'running' AND cause = ? AND local_day = ? ORDER BY id DESC LIMIT 1`,
		[]any{userID, cause, day}, &r.ID, &r.UID, &stages, &r.Calls, &r.InputTokens, &r.OutputTokens, &r.Cost, &r.Faults)
	if err != nil {
		return nil, OrNotFound(err)
	}
	r.Stages = json.RawMessage(stages)
	return r, nil
}

// StartRun stores a new running run and sets its id.
func (tx *Tx) StartRun(ctx context.Context, r *Run) error {
	return tx.Row(ctx, "INSERT INTO runs (uid, user_id, cause, local_day, state, started_at) VALUES (?, ?, ?, ?, 'running', ?) RETURNING id",
		[]any{r.UID, r.UserID, r.Cause, r.LocalDay, r.StartedAt}, &r.ID)
}

// FailOtherRuns marks the user's running runs but one as failed. The caller holds
// the lease, so they were interrupted.
func (tx *Tx) FailOtherRuns(ctx context.Context, userID, runID int64, at Time) error {
	_, err := tx.Exec(ctx, `UPDATE runs SET state = 'failed', finished_at = ?, error = 'was cut off; a later run went on'
		WHERE user_id = ? AND state = 'running' AND id <> ?`, at, userID, runID)
	return err
}

// SaveRun stores what changes of a run: its stages, state, error and usage.
func (tx *Tx) SaveRun(ctx context.Context, r *Run) error {
	_, err := tx.Exec(ctx, `UPDATE runs SET stages = ?, state = ?, finished_at = ?, error = ?,
		calls = ?, input_tokens = ?, output_tokens = ?, cost = ?, faults = ? WHERE id = ?`,
		string(r.Stages), r.State, r.FinishedAt, r.Error, r.Calls, r.InputTokens, r.OutputTokens, r.Cost, r.Faults, r.ID)
	return err
}

// NightsThrough returns the last local day that is consolidated, "" for none.
func (tx *Tx) NightsThrough(ctx context.Context, userID int64) (day string, err error) {
	err = tx.Row(ctx, "SELECT nights_through FROM users WHERE id = ?", []any{userID}, &day)
	return day, err
}

// SetNightsThrough records that all local days through day are consolidated. It
// does not go back.
func (tx *Tx) SetNightsThrough(ctx context.Context, userID int64, day string) error {
	_, err := tx.Exec(ctx, "UPDATE users SET nights_through = max(nights_through, ?) WHERE id = ?", day, userID)
	return err
}
