package extension

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// Stats says what one user's memory holds and whether what works behind it is
// well. Health concerns the whole file; no count of another user is in it.
type Stats struct {
	Memories  map[string]int64 `json:"memories"` // by kind; current ones
	States    map[string]int64 `json:"states"`   // of all, by state
	Sessions  int64            `json:"sessions"`
	Entities  int64            `json:"entities"`
	First     time.Time        `json:"first,omitzero"` // event_time of the oldest and newest memory
	Last      time.Time        `json:"last,omitzero"`
	LastNight string           `json:"last_night,omitempty"` // local day of the last completed night
	LastRun   *Run             `json:"last_run,omitempty"`
	// LastSummary tells the last run in a line.
	LastSummary string `json:"last_summary,omitempty"`
	// Model adds up what all nights asked of a model. Its faults stay, whatever
	// went well since.
	Model schema.RunTotals `json:"model"`
	// Gaps is what nights had to leave out.
	Gaps         Gaps   `json:"gaps"`
	Confirmation int64  `json:"pending_confirmations"`
	Proposals    int64  `json:"pending_proposals"`
	Health       Health `json:"health"`
}

// Health is the state of what works behind the turn, for the whole file.
type Health struct {
	Background bool                     `json:"background"` // whether this process does that work
	Consumers  []eventbus.ConsumerStats `json:"consumers"`
	Failures   []schema.Failure         `json:"failures,omitempty"` // of background work, of the file at present, and of turns since this process opened the file
	Vectors    *consolidate.VectorStats `json:"vectors,omitempty"`  // nil without an embedder
	FileBytes  int64                    `json:"file_bytes"`
	WALBytes   int64                    `json:"wal_bytes"`
	// NightFailed says that some user's last run failed.
	NightFailed bool `json:"night_failed,omitempty"`
	// GivenUp says that nights have given up on something that was said: they
	// tried it [consolidate.MaxAttempts] times.
	GivenUp bool `json:"given_up,omitempty"`
	// OpenErasures counts the erasures that are not finished: rows are left that
	// nobody can read any more, or old pages in the write-ahead log.
	OpenErasures int64 `json:"open_erasures,omitempty"`
	// Losses are what the file was found to lack when it was opened, although
	// it once held it. They stay until [Extension.AcknowledgeLosses].
	Losses []Loss `json:"losses,omitempty"`
}

// Gaps is what nights left out, since the model made nothing usable of it.
type Gaps struct {
	Batches  int64 `json:"batches"`  // left out; those tried less than three times are tried again
	GivenUp  int64 `json:"given_up"` // of these, tried for the last time
	Messages int64 `json:"messages"` // in them
	// Attempts is how often they were tried, together.
	Attempts  int64  `json:"attempts"`
	LastError string `json:"last_error,omitempty"` // of the newest
}

// Healthy reports whether nothing failed, is parked, waits for a retry, was
// given up, or is lost. What a model did wrong in a night that went well is no fault of
// the memory's health.
func (h Health) Healthy() bool {
	for _, c := range h.Consumers {
		if c.Parked > 0 || c.Retrying > 0 || c.Fault != "" {
			return false
		}
	}
	if h.Vectors != nil && h.Vectors.LastError != "" {
		return false
	}
	return len(h.Failures) == 0 && !h.NightFailed && !h.GivenUp && h.OpenErasures == 0 && len(h.Losses) == 0
}

// Stats counts one user's memory and reports on the file's health.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Stats(ctx context.Context, scope Scope) (*Stats, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	health, err := x.Health(ctx)
	if err != nil {
		return nil, err
	}
	stats := &Stats{Health: *health, Memories: map[string]int64{}, States: map[string]int64{}}
	for _, k := range schema.Kinds {
		stats.Memories[string(k)] = 0
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		return stats.read(ctx, s, userID)
	})
	if err != nil {
		return nil, err
	}
	return stats, nil
}

func (st *Stats) read(ctx context.Context, s *schema.Snapshot, userID int64) error {
	user, err := s.UserByID(ctx, userID)
	if err != nil {
		return err
	}
	st.LastNight = user.NightsThrough
	rows, err := s.Query(ctx, "SELECT kind, state, count(*) FROM memories WHERE user_id = ? GROUP BY kind, state", userID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var kind, state string
		var n int64
		if err := rows.Scan(&kind, &state, &n); err != nil {
			return err
		}
		st.States[state] += n
		if state != string(schema.StateSuperseded) && state != string(schema.StateRetired) {
			st.Memories[kind] += n
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var first, last schema.Time
	if err := s.Row(ctx, `SELECT (SELECT count(*) FROM sessions WHERE user_id = ?1),
		(SELECT count(*) FROM entities WHERE user_id = ?1 AND merged_into IS NULL),
		(SELECT min(event_time) FROM memories WHERE user_id = ?1),
		(SELECT max(event_time) FROM memories WHERE user_id = ?1),
		(SELECT count(*) FROM confirmations WHERE user_id = ?1 AND state = 'pending'),
		(SELECT count(*) FROM proposals WHERE user_id = ?1 AND state = 'pending')`, []any{userID},
		&st.Sessions, &st.Entities, &first, &last, &st.Confirmation, &st.Proposals); err != nil {
		return err
	}
	st.First, st.Last = first.Time, last.Time
	return st.readNights(ctx, s, userID)
}

func (st *Stats) readNights(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
	if st.Model, err = s.RunTotals(ctx, userID); err != nil {
		return err
	}
	gaps, err := s.Gaps(ctx, userID, "", 0)
	if err != nil {
		return err
	}
	for _, g := range gaps {
		st.Gaps.Batches++
		st.Gaps.Messages += int64(len(g.Memories))
		st.Gaps.Attempts += g.Attempts
		st.Gaps.LastError = g.LastError
		if g.Attempts >= consolidate.MaxAttempts {
			st.Gaps.GivenUp++
		}
	}
	st.LastRun, err = s.LastRun(ctx, userID)
	if errors.Is(err, schema.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	report, err := consolidate.Recorded(st.LastRun)
	if err != nil {
		return err
	}
	st.LastSummary = report.Summary()
	return nil
}

// Health reports on the file and on what works behind the turn.
func (x *Extension) Health(ctx context.Context) (*Health, error) {
	h := &Health{Background: x.behind != nil, FileBytes: size(x.db.Path()), WALBytes: size(x.db.Path() + "-wal")}
	var err error
	if h.Consumers, err = x.bus.Stats(ctx); err != nil {
		return nil, err
	}
	if x.vectors != nil {
		if h.Vectors, err = x.vectors.Stats(ctx); err != nil {
			return nil, err
		}
	}
	if h.Losses, err = x.db.Losses(ctx); err != nil {
		return nil, err
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		if h.Failures, err = s.Failures(ctx); err != nil {
			return err
		}
		if h.OpenErasures, _, err = s.OpenErasures(ctx); err != nil {
			return err
		}
		return s.Row(ctx, `SELECT EXISTS (SELECT 1 FROM runs r WHERE state = 'failed'
			AND NOT EXISTS (SELECT 1 FROM runs later WHERE later.user_id = r.user_id AND later.id > r.id)),
			EXISTS (SELECT 1 FROM gaps WHERE attempts >= ?)`, []any{consolidate.MaxAttempts}, &h.NightFailed, &h.GivenUp)
	})
	h.Failures = append(append(h.Failures, x.db.Faults()...), x.faults()...)
	return h, err
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// statsForTool is what memory_stats answers: JSON about this user.
func (x *Extension) statsForTool(scope Scope) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		stats, err := x.Stats(ctx, scope)
		if err != nil {
			return "", err
		}
		if stats.LastRun != nil {
			stats.LastRun.Stages = nil // proposal by proposal: LastSummary says enough
		}
		answer, err := json.Marshal(stats)
		return string(answer), err
	}
}
