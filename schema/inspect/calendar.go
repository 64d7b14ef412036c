package inspect

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Days counts a user's memories between each of the given times and the next.
func Days(ctx context.Context, s *schema.Snapshot, userID int64, bounds []time.Time) ([]int, error) {
	counts := make([]int, max(0, len(bounds)-1))
	for i := range counts {
		err := s.Row(ctx, `SELECT count(*) FROM memories WHERE user_id = ? AND event_time >= ? AND event_time < ? AND state NOT IN ('retired', 'forgotten')`,
			[]any{userID, bounds[i].UnixMilli(), bounds[i+1].UnixMilli()}, &counts[i])
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Newest returns the time of the user's newest memory; zero without one.
func Newest(ctx context.Context, s *schema.Snapshot, userID int64) (t schema.Time, err error) {
	err = s.Row(ctx, "SELECT max(event_time) FROM memories WHERE user_id = ?", []any{userID}, &t)
	return t, err
}

// Turned lists the claims that began or ceased to hold from since until until, by the
// time at which they began, at most limit.
func Turned(ctx context.Context, s *schema.Snapshot, userID int64, since, until time.Time, limit int) ([]schema.Memory, error) {
	ids, err := schema.Column[int64](ctx, s.Query, `SELECT id FROM memories WHERE user_id = ?1 AND kind IN ('fact', 'preference') AND kind <> 'episode' AND state IN ('active', 'dormant', 'superseded')
		AND NOT (state = 'superseded' AND valid_until = valid_from)
		AND (valid_from >= ?2 AND valid_from < ?3 OR valid_until >= ?2 AND valid_until < ?3)
		ORDER BY valid_from DESC, id DESC LIMIT ?4`, userID, since.UnixMilli(), until.UnixMilli(), limit)
	if err != nil {
		return nil, err
	}
	return recordsByTime(ctx, s, userID, ids)
}

// Night is one run of the consolidation in a calendar.
type Night struct {
	ID, Cause, LocalDay, State string
	StartedAt                  schema.Time
	Cost                       float64
}

// NightsSince lists a user's nights from a time on, oldest first, at most the newest
// limit.
func NightsSince(ctx context.Context, s *schema.Snapshot, userID int64, since time.Time, limit int) (nights []Night, err error) {
	return schema.List(ctx, s.Query, func(n *Night) []any {
		return []any{&n.ID, &n.Cause, &n.LocalDay, &n.State, &n.StartedAt, &n.Cost}
	}, `SELECT uid, cause, local_day, state, started_at, cost FROM (
		SELECT * FROM runs WHERE user_id = ? AND started_at >= ? AND cause NOT IN ('said', 'host') ORDER BY started_at DESC LIMIT ?) AS newest ORDER BY started_at`,
		userID, since.UnixMilli(), limit)
}

// Run reads one run of a user.
//
// Errors: [schema.ErrNotFound].
func Run(ctx context.Context, s *schema.Snapshot, userID int64, uid string) (*schema.Run, error) {
	r := new(schema.Run)
	err := s.NewSelect().Model(r).Where("user_id = ? AND uid = ?", userID, uid).Scan(ctx)
	return r, schema.OrNotFound(err)
}

// Waiting counts the proposals and quarantined memories that wait for a person.
func Waiting(ctx context.Context, s *schema.Snapshot, userID int64) (n int, err error) {
	err = s.Row(ctx, `SELECT (SELECT count(*) FROM proposals WHERE user_id = ?1 AND state = 'pending') +
		(SELECT count(*) FROM memories WHERE user_id = ?1 AND state = 'quarantined')`, []any{userID}, &n)
	return n, err
}

// NotOwnWords lists the current claims that do not count as the user's own word, the
// newest first, at most limit.
func NotOwnWords(ctx context.Context, s *schema.Snapshot, userID int64, limit int) ([]schema.Memory, error) {
	ids, err := schema.Column[int64](ctx, s.Query, `SELECT id FROM memories WHERE user_id = ? AND kind IN ('fact', 'preference') AND kind <> 'episode' AND state = 'active' AND trust < ?
		ORDER BY id DESC LIMIT ?`, userID, int64(schema.MaxTrust), limit)
	if err != nil {
		return nil, err
	}
	return recordsByTime(ctx, s, userID, ids)
}
