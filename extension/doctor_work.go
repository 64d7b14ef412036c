package extension

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// watermarks checks that nobody claims to have read what does not exist: such
// a reader would skip what is written next.
func (e *examination) watermarks(ctx context.Context) {
	const name = "watermarks"
	found, err := e.lines(ctx, `
		SELECT 'consumer ' || name || ' is at ' || cursor || ', past the journal' FROM consumers
			WHERE cursor > (SELECT coalesce(max(seq), 0) FROM (SELECT max(seq) AS seq FROM events
				UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'events'))
		UNION ALL
		SELECT 'user ' || u.name || ' has ' || w.name || ' through ' || w.through || ', past the memories'
			FROM watermarks w JOIN users u ON u.id = w.user_id WHERE w.through > (SELECT coalesce(max(id), 0) FROM (SELECT max(id) AS id FROM memories
				UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'memories'))
		UNION ALL
		SELECT 'user ' || name || ' has nights through ' || nights_through || ', which is no day' FROM users
			WHERE nights_through <> '' AND date(nights_through) IS NOT nights_through
		LIMIT 20`)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case len(found) > 0:
		e.note(name, CheckDamaged, strings.Join(found, "; "), fixRestore)
	default:
		e.note(name, CheckOK, "", "")
	}
}

func (e *examination) consumers(ctx context.Context) {
	const name = "consumers"
	found, err := e.lines(ctx, `
		SELECT consumer || ': ' || (count(*) - count(next_attempt_at)) || ' parked, ' || count(next_attempt_at) || ' retrying, last error: ' ||
			coalesce((SELECT last_error FROM deliveries l WHERE l.consumer = d.consumer AND last_error <> '' ORDER BY seq DESC LIMIT 1), 'none')
		FROM deliveries d GROUP BY consumer ORDER BY consumer`)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case len(found) > 0:
		e.note(name, CheckWarning, strings.Join(found, "; "), "mend the cause; what is parked is tried again with the bus's Retry or Replay")
	default:
		e.note(name, CheckOK, "", "")
	}
}

func (e *examination) failures(ctx context.Context) {
	const name = "background work"
	rows, err := e.db.QueryContext(ctx, "SELECT source, count, last_at, error FROM failures ORDER BY last_at DESC LIMIT 20")
	if err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var source, text string
		var count, last int64
		if err = rows.Scan(&source, &count, &last, &text); err != nil {
			break
		}
		found = append(found, fmt.Sprintf("%s failed %d times, last %s: %s", source, count, time.UnixMilli(last).UTC().Format(time.RFC3339), text))
	}
	switch err = errors.Join(err, rows.Err()); {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case len(found) > 0:
		e.note(name, CheckWarning, strings.Join(found, "; "), "mend the cause; the work is tried again by itself")
	default:
		e.note(name, CheckOK, "", "")
	}
}
