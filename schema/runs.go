package schema

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// LastRun returns the user's newest consolidation, not a run of [CauseSaid] or
// [CauseHost].
//
// Errors: [ErrNotFound] before the first.
func (s *Snapshot) LastRun(ctx context.Context, userID int64) (*Run, error) {
	run := new(Run)
	err := s.NewSelect().Model(run).Where("user_id = ? AND cause NOT IN (?, ?)", userID, CauseSaid, CauseHost).Order("id DESC").Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	return run, err
}

// Runs returns the user's runs, newest first, at most limit; 0 returns all.
func (s *Snapshot) Runs(ctx context.Context, userID int64, limit int) ([]Run, error) {
	var runs []Run
	q := s.NewSelect().Model(&runs).Where("user_id = ?", userID).Order("id DESC")
	if limit > 0 {
		q = q.Limit(int64(limit))
	}
	err := q.Scan(ctx)
	return runs, err
}

// RunTotals sums the model usage of all of a user's runs, including undone and failed
// ones.
type RunTotals struct {
	Runs         int64   `json:"runs"`
	Calls        int64   `json:"calls"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	Cost         float64 `json:"cost,omitempty"`
	// Faults counts failed calls and unusable answers. It is never reset.
	Faults int64 `json:"faults"`
}

// RunTotals returns the totals of the user's consolidations.
func (s *Snapshot) RunTotals(ctx context.Context, userID int64) (t RunTotals, err error) {
	err = s.Row(ctx, `SELECT count(*), coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
		coalesce(sum(cost), 0.0), coalesce(sum(faults), 0) FROM runs WHERE user_id = ? AND cause NOT IN ('said', 'host')`, []any{userID},
		&t.Runs, &t.Calls, &t.InputTokens, &t.OutputTokens, &t.Cost, &t.Faults)
	return t, err
}

// Causes of runs that are not consolidations: the changes made at once by a message of
// the user, and changes by a host.
const (
	CauseSaid = "said"
	CauseHost = "host"
)

// RunState returns the row id and state of a run by public id.
//
// Errors: [ErrNotFound] if the user has no such run.
func (tx *Tx) RunState(ctx context.Context, userID int64, uid string) (id int64, state string, err error) {
	err = tx.Row(ctx, "SELECT id, state FROM runs WHERE uid = ? AND +user_id = ?", []any{uid, userID}, &id, &state)
	return id, state, OrNotFound(err)
}

// BeginRun stores a completed run for changes that are all made in this write.
func (tx *Tx) BeginRun(ctx context.Context, userID int64, uid, cause string) (id int64, err error) {
	return tx.Insert(ctx, "INSERT INTO runs (uid, user_id, cause, state, started_at, finished_at) VALUES (?, ?, ?, 'done', ?, ?)",
		uid, userID, cause, At(tx.Now), At(tx.Now))
}

// EndRun adds outcomes of this write to the report of a run: to its first stage, if
// that has the name, or to a new stage before the others. A run without any outcome is
// deleted.
func (tx *Tx) EndRun(ctx context.Context, id int64, name string, outcomes ...any) error {
	if len(outcomes) == 0 {
		_, err := tx.Exec(ctx, "DELETE FROM runs WHERE id = ?", id)
		return err
	}
	var before string
	if err := tx.Row(ctx, "SELECT stages FROM runs WHERE id = ?", []any{id}, &before); err != nil {
		return err
	}
	var stages []map[string]any
	if err := DecodeStored("the ledger of a run", before, &stages); err != nil {
		return err
	}
	if len(stages) == 0 || stages[0]["name"] != name {
		stages = slices.Insert(stages, 0, map[string]any{"name": name, "done": true, "took_ns": 0})
	}
	known, _ := stages[0]["outcomes"].([]any)
	stages[0]["outcomes"] = append(known, outcomes...)
	after, err := json.Marshal(stages)
	if err == nil {
		_, err = tx.Exec(ctx, "UPDATE runs SET stages = ? WHERE id = ?", string(after), id)
	}
	return err
}

// RunningRun returns the user's running run of a cause and local day.
//
// Errors: [ErrNotFound] if there is none.
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

// SpentOn returns the usage of the user's runs of a cause and local day but one, summed.
func (tx *Tx) SpentOn(ctx context.Context, userID int64, cause, day string, but int64) (*Run, error) {
	spent := new(Run)
	err := tx.Row(ctx, `SELECT coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cost), 0.0),
		coalesce(sum(faults), 0) FROM runs WHERE user_id = ? AND cause = ? AND local_day = ? AND id <> ?`, []any{userID, cause, day, but},
		&spent.Calls, &spent.InputTokens, &spent.OutputTokens, &spent.Cost, &spent.Faults)
	return spent, err
}

// FailOtherRuns marks the user's running runs except one as failed. The caller holds the
// lease, so the others were interrupted.
func (tx *Tx) FailOtherRuns(ctx context.Context, userID, runID int64, at Time) error {
	_, err := tx.Exec(ctx, `UPDATE runs SET state = 'failed', finished_at = ?, error = 'was cut off; a later run went on'
		WHERE user_id = ? AND state = 'running' AND id <> ?`, at, userID, runID)
	return err
}

// SaveRun updates the stages, state, end, error and usage of a run.
func (tx *Tx) SaveRun(ctx context.Context, r *Run) error {
	_, err := tx.Exec(ctx, `UPDATE runs SET stages = ?, state = ?, finished_at = ?, error = ?,
		calls = ?, input_tokens = ?, output_tokens = ?, cost = ?, faults = ? WHERE id = ?`,
		string(r.Stages), r.State, r.FinishedAt, r.Error, r.Calls, r.InputTokens, r.OutputTokens, r.Cost, r.Faults, r.ID)
	return err
}

// NightsThrough returns the last consolidated local day, as 2006-01-02; "" for none.
func (tx *Tx) NightsThrough(ctx context.Context, userID int64) (day string, err error) {
	err = tx.Row(ctx, "SELECT nights_through FROM users WHERE id = ?", []any{userID}, &day)
	return day, err
}

// NightDone reports whether one of the user's runs of a cause and local day that began within
// three days of now was finished, also if it was undone since.
func (tx *Tx) NightDone(ctx context.Context, userID int64, cause, day string, now time.Time) (done bool, err error) {
	err = tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE user_id = ? AND started_at BETWEEN ? AND ?
		AND cause = ? AND local_day = ? AND state NOT IN ('running', 'failed'))`,
		[]any{userID, At(now.AddDate(0, 0, -3)), At(now.AddDate(0, 0, 3)), cause, day}, &done)
	return done, err
}

// AheadOfClock reports whether a consolidated day cannot be over yet at now, in the user's
// time zone: it was recorded by a wrong clock. Tomorrow is not ahead, since a journey west
// moves the local date back.
func AheadOfClock(day string, now time.Time) bool {
	return day > now.AddDate(0, 0, 1).Format(time.DateOnly)
}

// SetNightsThrough records that all local days through day are consolidated.
func (tx *Tx) SetNightsThrough(ctx context.Context, userID int64, day string) error {
	_, err := tx.Exec(ctx, "UPDATE users SET nights_through = ? WHERE id = ?", day, userID)
	return err
}
