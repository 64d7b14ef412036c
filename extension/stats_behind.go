package extension

import (
	"context"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// readBehind looks at everybody's rows: what is set aside, what is not whole,
// and the nights that are due.
func (h *Health) readBehind(ctx context.Context, s *schema.Snapshot, nights memory.NightClock) (err error) {
	if h.Quarantined, err = inspect.Quarantined(ctx, s); err != nil {
		return err
	}
	if h.Integrity, err = s.Integrity(ctx, 0); err != nil {
		return err
	}
	h.NightsOverdue, _, err = nights.MostOverdue(ctx, s)
	return err
}

// vectorStats counts what waits for its vector, with an embedder or without.
func (x *Extension) vectorStats(ctx context.Context) (stats *embed.Stats, err error) {
	if x.vectors != nil {
		return x.vectors.Stats(ctx)
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		stats, err = embed.StoredStats(ctx, s)
		return err
	})
	return stats, err
}

func (x *Extension) vectorStatsOf(ctx context.Context, userID int64) (stats *embed.UserStats, err error) {
	if x.vectors != nil {
		return x.vectors.StatsOf(ctx, userID)
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		stats, err = embed.StoredStatsOf(ctx, s, userID)
		return err
	})
	return stats, err
}
