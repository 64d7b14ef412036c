package inspect

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Counts is how much there is of one user.
type Counts struct {
	Memories           []KindCount
	Sessions, Entities int64
	First, Last        schema.Time // event_time of the oldest and the newest memory
	Proposals          int64       // that wait
}

// KindCount is how many memories there are of a kind and state.
type KindCount struct {
	Kind  schema.Kind
	State schema.State
	N     int64
}

// Count counts what there is of one user.
func Count(ctx context.Context, s *schema.Snapshot, userID int64) (c Counts, err error) {
	c.Memories, err = schema.List(ctx, s.Query, func(k *KindCount) []any {
		return []any{&k.Kind, &k.State, &k.N}
	}, "SELECT kind, state, count(*) FROM memories WHERE user_id = ? GROUP BY kind, state", userID)
	if err != nil {
		return c, err
	}
	err = s.Row(ctx, `SELECT (SELECT count(*) FROM sessions WHERE user_id = ?1),
		(SELECT count(*) FROM entities WHERE user_id = ?1 AND merged_into IS NULL),
		(SELECT min(event_time) FROM memories WHERE user_id = ?1),
		(SELECT max(event_time) FROM memories WHERE user_id = ?1),
		(SELECT count(*) FROM proposals WHERE user_id = ?1 AND state = 'pending')`, []any{userID},
		&c.Sessions, &c.Entities, &c.First, &c.Last, &c.Proposals)
	return c, err
}
