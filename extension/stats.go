package extension

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/prompt"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// Stats describes one user's memory and its health. It does not depend on other
// users; [Extension.Health] describes the whole file.
type Stats struct {
	Memories  map[string]int64 `json:"memories"` // by kind; active and quarantined ones
	Dormant   map[string]int64 `json:"dormant"`  // by kind; faded, found only on request
	States    map[string]int64 `json:"states"`   // all memories, by state
	Sessions  int64            `json:"sessions"`
	Entities  int64            `json:"entities"`
	First     time.Time        `json:"first,omitzero"` // event times of the oldest and newest memory
	Last      time.Time        `json:"last,omitzero"`
	LastNight string           `json:"last_night,omitempty"` // local day of the last completed night
	LastRun   *Run             `json:"last_run,omitempty"`
	// LastSummary describes the last run in one line.
	LastSummary string `json:"last_summary,omitempty"`
	// Model sums up the calls of all nights to the model, including their errors.
	Model schema.RunTotals `json:"model"`
	// Gaps counts the messages that nights could not process.
	Gaps      Gaps  `json:"gaps"`
	Proposals int64 `json:"pending_proposals"`
	// Core lists the blocks of core memory visible to the scope's agent, as
	// injected. CoreTokens is their cost.
	Core       []prompt.InjectedBlock `json:"core,omitempty"`
	CoreTokens int                    `json:"core_tokens,omitempty"`
	Health     UserHealth             `json:"health"`
}

// Gaps counts the batches of messages that nights skipped because the model's
// answers were unusable.
type Gaps struct {
	Batches  int64 `json:"batches"`  // skipped; those tried less than three times are retried
	GivenUp  int64 `json:"given_up"` // of these, not retried any more
	Messages int64 `json:"messages"` // in the batches
	// Attempts sums up the attempts of all batches.
	Attempts  int64  `json:"attempts"`
	LastError string `json:"last_error,omitempty"` // of the newest
}

// Stats counts one user's memory and reports on its health.
//
// Errors: [*InvalidError], the database's errors, the context's error.
func (x *Extension) Stats(ctx context.Context, scope Scope) (*Stats, error) {
	scope = x.db.Complete(scope)
	stats := &Stats{Memories: map[string]int64{}, Dormant: map[string]int64{}, States: map[string]int64{}}
	stats.Health.Background = x.background != nil
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
	core, err := x.coreMemory(ctx, scope, x.cfg.Location)
	if err != nil {
		return nil, err
	}
	stats.Core, stats.CoreTokens = core.Blocks, core.Sum()
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
	st.Sessions, st.Entities, st.Proposals = c.Sessions, c.Entities, c.Proposals
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

// statsForTool implements the memory_stats tool, which returns JSON.
func (x *Extension) statsForTool(scope Scope) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		stats, err := x.Stats(ctx, scope)
		if err != nil {
			return "", err
		}
		if stats.LastRun != nil {
			stats.LastRun.Stages = nil // LastSummary is enough
		}
		return text.JSON(stats), nil
	}
}
