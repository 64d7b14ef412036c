package inspect

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Nights is what nights failed at.
type Nights struct {
	Failed int64  // users whose last run failed
	Reason string // of one of these
	// Waiting and GivenUp are batches of messages that were left out: those that are
	// tried again, and those that are not.
	Waiting, GivenUp int64
	LastError        string // of one of these
	Faults           int64  // calls of the model that failed or gave nothing usable, over all nights
}

// ReadNights reads what the nights of all users failed at. A batch is given up
// after so many attempts.
func ReadNights(ctx context.Context, q schema.Querier, attempts int) (n Nights, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*), coalesce(max(error), '') FROM runs r WHERE state = 'failed'
		AND NOT EXISTS (SELECT 1 FROM runs later WHERE later.user_id = r.user_id AND later.id > r.id AND later.cause NOT IN ('said', 'host'))`).
		Scan(&n.Failed, &n.Reason)
	if err != nil {
		return n, err
	}
	err = q.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE attempts < ?), count(*) FILTER (WHERE attempts >= ?), coalesce(max(last_error), ''),
		(SELECT coalesce(sum(faults), 0) FROM runs) FROM gaps`, attempts, attempts).Scan(&n.Waiting, &n.GivenUp, &n.LastError, &n.Faults)
	return n, err
}

// LastNight is how far the nights of some users got.
type LastNight struct {
	TimeZone, Through string
	CreatedAt         schema.Time // of the first of these users
}

// LastNights lists how far the nights got, for each time zone and last night.
func LastNights(ctx context.Context, q schema.Querier) (all []LastNight, err error) {
	return schema.List(ctx, q.QueryContext, func(n *LastNight) []any {
		return []any{&n.TimeZone, &n.Through, &n.CreatedAt}
	}, "SELECT time_zone, nights_through, min(created_at) FROM users GROUP BY time_zone, nights_through")
}

// Quarantined counts the quarantined memories of all users.
func Quarantined(ctx context.Context, q schema.Querier) (n int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT count(*) FROM memories WHERE state = 'quarantined'").Scan(&n)
	return n, err
}
