package extension

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// Stats says what one user's memory holds and whether what works behind it is
// well. Nothing another user does changes anything in it: the health of the
// whole file, of its size and of its log is [Extension.Health].
type Stats struct {
	Memories  map[string]int64 `json:"memories"` // by kind; current ones, without those that are dormant
	Dormant   map[string]int64 `json:"dormant"`  // by kind: faded, found only when asked for
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
	Gaps         Gaps  `json:"gaps"`
	Confirmation int64 `json:"pending_confirmations"`
	Proposals    int64 `json:"pending_proposals"`
	// Core are the blocks of core memory that an agent has in view, as they stand
	// before a model; CoreTokens is what they take there.
	Core       []InjectedBlock `json:"core,omitempty"`
	CoreTokens int             `json:"core_tokens,omitempty"`
	Health     UserHealth      `json:"health"`
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

// Stats counts one user's memory and reports on its health.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Stats(ctx context.Context, scope Scope) (*Stats, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	stats := &Stats{Memories: map[string]int64{}, Dormant: map[string]int64{}, States: map[string]int64{}}
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
		user, err := s.UserByID(ctx, userID)
		if err != nil {
			return err
		}
		if err := stats.read(ctx, s, user); err != nil {
			return err
		}
		stats.Health.NightsOverdue = x.nightClock().Overdue(user.TimeZone, user.NightsThrough, user.CreatedAt.Time)
		stats.Health.GivenUp = stats.Gaps.GivenUp > 0
		stats.Health.NightFailed = stats.LastRun != nil && stats.LastRun.State == "failed"
		return stats.Health.read(ctx, s, userID)
	})
	if err != nil {
		return nil, err
	}
	if stats.Health.Vectors, err = x.vectorStatsOf(ctx, userID); err != nil {
		return nil, err
	}
	core, err := x.coreMemory(ctx, scope)
	if err != nil {
		return nil, err
	}
	stats.Core, stats.CoreTokens = core.blocks, coreTokens(core.blocks)
	losses, err := x.db.Losses(ctx)
	if err != nil {
		return nil, err
	}
	stats.Health.Incomplete = len(losses) > 0
	stats.Health.Degraded = x.searcher.DegradationsOf(userID)
	of := func(m missed) bool { return m.tenant == scope.Tenant && m.user == scope.User }
	stats.Health.Failures = append(stats.Health.Failures, x.faults(false, of)...)
	stats.Health.Overcome = x.faults(true, of)
	return stats, nil
}

func (st *Stats) read(ctx context.Context, s *schema.Snapshot, user *schema.User) error {
	st.LastNight = user.NightsThrough
	c, err := inspect.Count(ctx, s, user.ID)
	if err != nil {
		return err
	}
	for _, of := range c.Memories {
		st.States[string(of.State)] += of.N
		switch of.State {
		case schema.StateDormant:
			st.Dormant[string(of.Kind)] += of.N
		case schema.StateActive, schema.StateQuarantined:
			st.Memories[string(of.Kind)] += of.N
		}
	}
	st.Sessions, st.Entities, st.Confirmation, st.Proposals = c.Sessions, c.Entities, c.Confirmations, c.Proposals
	st.First, st.Last = c.First.Time, c.Last.Time
	return st.readNights(ctx, s, user.ID)
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
