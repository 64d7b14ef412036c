package eventbus

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Backlog counts the events that a set of consumers has not handled.
type Backlog struct {
	Waiting  int64     // events not yet delivered to at least one of the consumers
	Since    time.Time // when the oldest waiting event was recorded; zero if none
	Retrying int64     // failed deliveries that will be retried
	Parked   int64     // failed deliveries that will not be retried
}

// ReadBacklog returns the backlog of the given consumers, which map a name to its
// topics, for one user's events, or for all users if userID is 0. consumers must
// not be empty.
func ReadBacklog(ctx context.Context, q schema.Querier, consumers map[string][]string, userID int64) (b Backlog, err error) {
	var positions []string
	var topics, names []any
	for _, name := range slices.Sorted(maps.Keys(consumers)) {
		names = append(names, name)
		for _, topic := range consumers[name] {
			positions = append(positions, "SELECT ? AS topic, coalesce((SELECT cursor FROM consumers WHERE name = ?), 0) AS cursor")
			topics = append(topics, topic, name)
		}
	}
	var since schema.Time
	err = q.QueryRowContext(ctx, `SELECT count(*), min(e.recorded_at) FROM events e
		JOIN (SELECT topic, min(cursor) AS cursor FROM (`+strings.Join(positions, " UNION ALL ")+`) AS positions GROUP BY topic) c ON e.topic = c.topic AND e.seq > c.cursor
		WHERE ? IN (e.user_id, 0)`, append(topics, userID)...).Scan(&b.Waiting, &since)
	if err != nil {
		return b, err
	}
	b.Since = since.Time
	err = q.QueryRowContext(ctx, `SELECT count(d.next_attempt_at), count(*) - count(d.next_attempt_at)
		FROM deliveries d JOIN events e ON e.seq = d.seq WHERE ? IN (e.user_id, 0) AND d.consumer IN (?`+strings.Repeat(", ?", len(names)-1)+")",
		append([]any{userID}, names...)...).Scan(&b.Retrying, &b.Parked)
	return b, err
}
