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
	Memories     map[string]int64 `json:"memories"` // by kind; current ones
	States       map[string]int64 `json:"states"`   // of all, by state
	Sessions     int64            `json:"sessions"`
	Entities     int64            `json:"entities"`
	First        time.Time        `json:"first,omitzero"` // event_time of the oldest and newest memory
	Last         time.Time        `json:"last,omitzero"`
	LastNight    string           `json:"last_night,omitempty"` // local day of the last completed night
	LastRun      *schema.Run      `json:"last_run,omitempty"`
	Confirmation int64            `json:"pending_confirmations"`
	Proposals    int64            `json:"pending_proposals"`
	Health       Health           `json:"health"`
}

// Health is the state of what works behind the turn, for the whole file.
type Health struct {
	Background bool                     `json:"background"` // whether this process does that work
	Consumers  []eventbus.ConsumerStats `json:"consumers"`
	Failures   []schema.Failure         `json:"failures,omitempty"` // of background work, and of turns since this process opened the file
	Vectors    *consolidate.VectorStats `json:"vectors,omitempty"`  // nil without an embedder
	FileBytes  int64                    `json:"file_bytes"`
	WALBytes   int64                    `json:"wal_bytes"`
}

// Healthy reports whether nothing failed, is parked, or waits for a retry.
func (h Health) Healthy() bool {
	for _, c := range h.Consumers {
		if c.Parked > 0 || c.Retrying > 0 {
			return false
		}
	}
	if h.Vectors != nil && h.Vectors.LastError != "" {
		return false
	}
	return len(h.Failures) == 0
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
	st.LastRun, err = s.LastRun(ctx, userID)
	if errors.Is(err, schema.ErrNotFound) {
		return nil
	}
	return err
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
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		h.Failures, err = s.Failures(ctx)
		return err
	})
	h.Failures = append(h.Failures, x.faults()...)
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
		answer, err := json.Marshal(stats)
		return string(answer), err
	}
}
