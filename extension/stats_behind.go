package extension

import (
	"context"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// readBehind looks at everybody's rows: what is set aside, what is not whole,
// and the nights that are due.
func (h *Health) readBehind(ctx context.Context, s *schema.Snapshot, nights nightClock) (err error) {
	if err := s.Row(ctx, "SELECT count(*) FROM memories WHERE state = 'quarantined'", nil, &h.Quarantined); err != nil {
		return err
	}
	if h.Integrity, err = s.Integrity(ctx, 0); err != nil {
		return err
	}
	rows, err := s.Query(ctx, furthestBehind)
	if err != nil {
		return err
	}
	h.NightsOverdue, _, err = nights.mostOverdue(rows)
	return err
}

// vectorStats counts what waits for its vector, with an embedder or without.
func (x *Extension) vectorStats(ctx context.Context) (stats *consolidate.VectorStats, err error) {
	if x.vectors != nil {
		return x.vectors.Stats(ctx)
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		stats, err = consolidate.StoredVectors(ctx, s)
		return err
	})
	return stats, err
}

func (x *Extension) vectorStatsOf(ctx context.Context, userID int64) (stats *consolidate.UserVectorStats, err error) {
	if x.vectors != nil {
		return x.vectors.StatsOf(ctx, userID)
	}
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		stats, err = consolidate.StoredVectorsOf(ctx, s, userID)
		return err
	})
	return stats, err
}
