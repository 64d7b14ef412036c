package extension

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// Stats says what one user's memory holds and whether what works behind it is
// well. Nothing another user does changes anything in it: the health of the
// whole file is [Extension.Health].
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
	Gaps         Gaps       `json:"gaps"`
	Confirmation int64      `json:"pending_confirmations"`
	Proposals    int64      `json:"pending_proposals"`
	Health       UserHealth `json:"health"`
}

// UserHealth is the state of what works behind the turns of one user.
type UserHealth struct {
	Background bool `json:"background"` // whether this process does that work
	// Waiting is how many events of the user the memory's own consumers have
	// not handled yet; Retrying and Parked are those that failed, and are tried
	// again or wait for the host.
	Waiting  int64                        `json:"waiting"`
	Since    time.Time                    `json:"since,omitzero"` // when the oldest of these was stored
	Retrying int64                        `json:"retrying"`
	Parked   int64                        `json:"parked"`
	Failures []schema.Failure             `json:"failures,omitempty"` // of the user's nights, texts and turns
	Overcome []schema.Failure             `json:"overcome,omitempty"` // see [Health]
	Vectors  *consolidate.UserVectorStats `json:"vectors,omitempty"`  // nil without an embedder
	// NightFailed says that the user's last run failed, GivenUp that nights have
	// given up on something that was said.
	NightFailed bool `json:"night_failed,omitempty"`
	GivenUp     bool `json:"given_up,omitempty"`
}

// Healthy reports whether nothing of the user's failed, is parked, waits for a
// retry, or was given up.
func (h UserHealth) Healthy() bool {
	refused := h.Vectors != nil && h.Vectors.Refused > 0
	return h.Parked+h.Retrying == 0 && len(h.Failures) == 0 && !h.NightFailed && !h.GivenUp && !refused
}

// Health is the state of what works behind the turn, for the whole file.
type Health struct {
	Background bool                     `json:"background"` // whether this process does that work
	Consumers  []eventbus.ConsumerStats `json:"consumers"`
	Failures   []schema.Failure         `json:"failures,omitempty"` // of background work, of the file at present, and of turns since this process opened the file
	// Overcome are failures of turns since this process opened the file after
	// which the same door, tool or hook has done the same work again. A message
	// that was refused was not stored, and is not for that.
	Overcome  []schema.Failure         `json:"overcome,omitempty"`
	Vectors   *consolidate.VectorStats `json:"vectors,omitempty"` // nil without an embedder
	FileBytes int64                    `json:"file_bytes"`
	WALBytes  int64                    `json:"wal_bytes"`
	// NightFailed says that some user's last run failed.
	NightFailed bool `json:"night_failed,omitempty"`
	// GivenUp says that nights have given up on something that was said: they
	// tried it [consolidate.MaxAttempts] times.
	GivenUp bool `json:"given_up,omitempty"`
	// NightsOverdue is how many local days no night has consolidated that
	// should have been, for the user furthest behind of those who had one.
	NightsOverdue int64 `json:"nights_overdue,omitempty"`
	// Quarantined counts the memories set aside as instructions in disguise.
	Quarantined int64 `json:"quarantined,omitempty"`
	// LogHeld is how many pages of the write-ahead log a reader keeps from being
	// moved into the file: the log grows while it stays above 0.
	LogHeld int64 `json:"log_held,omitempty"`
	// Degraded are the arms of searches that did not give their full answer
	// since this process opened the file.
	Degraded []recall.Degradation `json:"degraded,omitempty"`
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
// given up, or is lost. A failure of a turn counts until the same work has
// succeeded ([Health.Overcome]). What a model did wrong in a night that went well is no fault of
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
	for _, d := range h.Degraded {
		if d.Whole == 0 { // the last search went without it
			return false
		}
	}
	return len(h.Failures) == 0 && !h.NightFailed && !h.GivenUp && h.OpenErasures == 0 && len(h.Losses) == 0
}

// Stats counts one user's memory and reports on its health.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Stats(ctx context.Context, scope Scope) (*Stats, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	stats := &Stats{Memories: map[string]int64{}, States: map[string]int64{}}
	stats.Health.Background = x.behind != nil
	for _, k := range schema.Kinds {
		stats.Memories[string(k)] = 0
	}
	var userID int64
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		userID, err = s.UserID(ctx, scope)
		if err != nil || userID == 0 {
			return err
		}
		if err := stats.read(ctx, s, userID); err != nil {
			return err
		}
		stats.Health.GivenUp = stats.Gaps.GivenUp > 0
		stats.Health.NightFailed = stats.LastRun != nil && stats.LastRun.State == "failed"
		return stats.Health.read(ctx, s, userID)
	})
	if err != nil {
		return nil, err
	}
	if x.vectors != nil {
		if stats.Health.Vectors, err = x.vectors.StatsOf(ctx, userID); err != nil {
			return nil, err
		}
	}
	of := func(m missed) bool { return m.tenant == scope.Tenant && m.user == scope.User }
	stats.Health.Failures = append(stats.Health.Failures, x.faults(false, of)...)
	stats.Health.Overcome = x.faults(true, of)
	return stats, nil
}

// read counts what of the user's waits or failed.
func (h *UserHealth) read(ctx context.Context, s *schema.Snapshot, userID int64) error {
	var since schema.Time
	if err := s.Row(ctx, `SELECT count(*), min(e.recorded_at) FROM events e
		JOIN (SELECT ?2 AS topic, coalesce((SELECT cursor FROM consumers WHERE name = ?3), 0) AS cursor
			UNION ALL SELECT ?4, coalesce((SELECT cursor FROM consumers WHERE name = ?5), 0)) c ON e.topic = c.topic AND e.seq > c.cursor
		WHERE e.user_id = ?1`,
		[]any{userID, eventbus.TopicMemoryStored, enrichConsumer, eventbus.TopicMemoryRecalled, recalledConsumer}, &h.Waiting, &since); err != nil {
		return err
	}
	h.Since = since.Time
	if err := s.Row(ctx, `SELECT count(d.next_attempt_at), count(*) - count(d.next_attempt_at)
		FROM deliveries d JOIN events e ON e.seq = d.seq WHERE e.user_id = ?1 AND d.consumer IN (?2, ?3)`,
		[]any{userID, enrichConsumer, recalledConsumer}, &h.Retrying, &h.Parked); err != nil {
		return err
	}
	failures, err := s.Failures(ctx)
	h.Failures = slices.DeleteFunc(failures, func(f schema.Failure) bool { return f.UserID != userID })
	return err
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
	h := &Health{Background: x.behind != nil, FileBytes: size(x.db.Path()), WALBytes: size(x.db.Path() + "-wal"),
		LogHeld: x.db.LogHeld(), Degraded: x.searcher.Degradations()}
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
	if err == nil {
		err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error { return h.readBehind(ctx, s, x.cfg) })
	}
	h.Failures = append(append(h.Failures, x.db.Faults()...), x.faults(false, everybody)...)
	h.Overcome = x.faults(true, everybody)
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
		return text.JSON(stats), nil
	}
}
