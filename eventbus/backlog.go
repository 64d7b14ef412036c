package eventbus

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// Backlog is what some consumers have not handled.
type Backlog struct {
	Waiting  int64     // events not delivered to one of them
	Since    time.Time // when the oldest of these was recorded
	Retrying int64     // events that failed and are tried again
	Parked   int64     // events that failed and are not
}

// ReadBacklog reads what consumers, each with its topics, have not handled of one
// user's events, or with userID 0 of all.
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
		JOIN (SELECT topic, min(cursor) AS cursor FROM (`+strings.Join(positions, " UNION ALL ")+`) GROUP BY topic) c ON e.topic = c.topic AND e.seq > c.cursor
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

// ReadFailing lists the consumers with failed events, by name: how many are retried
// and parked, and the last error.
func ReadFailing(ctx context.Context, q schema.Querier) (failing []ConsumerStats, err error) {
	rows, err := q.QueryContext(ctx, `SELECT consumer, count(next_attempt_at), count(*) - count(next_attempt_at),
			coalesce((SELECT last_error FROM deliveries l WHERE l.consumer = d.consumer AND last_error <> '' ORDER BY seq DESC LIMIT 1), '')
		FROM deliveries d GROUP BY consumer ORDER BY consumer`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c ConsumerStats
		if err := rows.Scan(&c.Name, &c.Retrying, &c.Parked, &c.LastError); err != nil {
			return nil, err
		}
		failing = append(failing, c)
	}
	return failing, rows.Err()
}
