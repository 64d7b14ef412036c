package eventbus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
)

const (
	batchEvents  = 64
	batchRetries = 16
	batchBytes   = 4 << 20              // of the payloads in one batch
	maxError     = 2048                 // bytes stored of a handler's error
	settlePoll   = 5 * time.Millisecond // see backlog.unsettled
)

// backlog is a consumer's pending work, from one consistent read.
type backlog struct {
	due       []dueEvent
	events    []Event
	through   int64     // the cursor after events are done
	more      bool      // more events are pending than were read
	nextDue   time.Time // the next retry that is not due yet; zero if none
	unsettled bool      // events wait until no earlier one can appear any more
	heldUntil time.Time // expiry of another holder's lease; zero if none
}

type dueEvent struct {
	Event
	attempts int
}

// idle returns how long to wait if there is no work: at most poll.
func (w *backlog) idle(poll time.Duration) time.Duration {
	if w.unsettled {
		poll = min(poll, settlePoll)
	}
	if w.nextDue.IsZero() {
		return poll
	}
	return max(min(time.Until(w.nextDue), poll), time.Millisecond)
}

// delivery is the stored outcome of a delivery attempt.
type delivery struct {
	succeeded bool
	attempts  int
	next      time.Time // zero: parked
	lastError string
}

// progress is a consumer's work that is done but not yet stored.
type progress struct {
	cursor     int64
	deliveries map[int64]delivery // failures and successful retries, by seq
}

func createConsumer(ctx context.Context, db *schema.DB, name string, fromStart bool) error {
	var exists bool
	err := db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM consumers WHERE name = ?)", []any{name}, &exists)
	})
	if err != nil || exists { // the first write of a process syncs the log even if it changes nothing
		return err
	}
	return db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO consumers (name, cursor, created_at, updated_at)
			SELECT ?, CASE WHEN ? = 1 THEN 0 ELSE coalesce(max(seq), 0) END, ?, ? FROM events
			WHERE true ON CONFLICT DO NOTHING`,
			name, fromStart, tx.Now.UnixMilli(), tx.Now.UnixMilli())
		return err
	})
}

// read reads a consumer's backlog. If the stored cursor was moved, for example by
// [Journal.Replay], it continues from there.
func (c *consumer) read(ctx context.Context) (*backlog, error) {
	w := new(backlog)
	err := c.j.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		var cursor int64
		if err := s.Row(ctx, "SELECT cursor FROM consumers WHERE name = ?", []any{c.name}, &cursor); errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: consumer %s is gone", schema.ErrCorrupt, c.name)
		} else if err != nil {
			return fmt.Errorf("read the cursor of consumer %s: %w", c.name, err)
		}
		if cursor != c.cursor {
			c.cursor, c.pos = cursor, cursor
		}
		if err := c.readLease(ctx, s, w); err != nil {
			return err
		}
		if err := c.readDue(ctx, s, w); err != nil {
			return err
		}
		last, unsettled, err := lastSeq(ctx, s)
		if err != nil {
			return err
		}
		w.unsettled = unsettled
		if w.events, w.more, err = readEvents(ctx, s, c.pos, batchEvents, c.opts.topics); err != nil {
			return err
		}
		w.through = max(last, c.pos) // last can be less: erasure can delete the newest rows
		if w.more {
			w.through = w.events[len(w.events)-1].Seq
		}
		return nil
	})
	return w, err
}

func (c *consumer) readLease(ctx context.Context, s *schema.Snapshot, w *backlog) error {
	var expires schema.Time
	err := s.Row(ctx, "SELECT expires_at FROM leases WHERE name = ? AND holder <> ?", []any{"consumer:" + c.name, c.j.holder}, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if time.Until(expires.Time) <= 2*leaseTTL { // a later time means that the clock was set back
		w.heldUntil = expires.Time
	}
	return err
}

func (c *consumer) readDue(ctx context.Context, s *schema.Snapshot, w *backlog) error {
	now := time.Now().UnixMilli()
	rows, err := s.Query(ctx, `SELECT d.attempts, `+eventColumns+`
		FROM deliveries d CROSS JOIN events e ON e.seq = d.seq CROSS JOIN users u ON u.id = e.user_id
		WHERE d.consumer = ? AND d.next_attempt_at <= ? AND u.name <> '' ORDER BY d.next_attempt_at LIMIT ?`, c.name, now, batchRetries)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var d dueEvent
		if err := d.scan(rows, &d.attempts); err != nil {
			return err
		}
		w.due = append(w.due, d)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var next schema.Time
	err = s.Row(ctx, "SELECT min(next_attempt_at) FROM deliveries WHERE consumer = ? AND next_attempt_at > ?", []any{c.name, now}, &next)
	w.nextDue = next.Time
	return err
}

const eventColumns = `e.seq, coalesce(e.id, ''), e.topic, u.tenant, u.name, e.agent, e.session, e.origin, e.trust,
	e.payload, e.occurred_at, e.recorded_at`

func (e *Event) scan(rows *sql.Rows, before ...any) error {
	var payload string
	var occurred, recorded schema.Time
	var trust Trust
	err := rows.Scan(append(before, &e.Seq, &e.ID, &e.Topic, &e.Scope.Tenant, &e.Scope.User, &e.Scope.Agent, &e.Scope.Session,
		&e.Origin, &trust, &payload, &occurred, &recorded)...)
	e.Trust, e.Payload = &trust, []byte(payload)
	e.OccurredAt, e.RecordedAt = occurred.Time, recorded.Time
	return err
}

// readEvents reads at most limit events after a position. more reports that it
// stopped at a limit and not at the end of the journal.
func readEvents(ctx context.Context, s *schema.Snapshot, after int64, limit int, topics []string) (events []Event, more bool, err error) {
	before, err := s.Settled(ctx)
	if err != nil {
		return nil, false, err
	}
	filter, args := topicFilter(topics, []any{after, before})
	rows, err := s.Query(ctx, `SELECT `+eventColumns+` FROM events e CROSS JOIN users u ON u.id = e.user_id
		WHERE e.seq > ? AND e.seq < ? AND u.name <> '' AND `+filter+` ORDER BY e.seq LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	bytes := 0
	for rows.Next() {
		var e Event
		if err := e.scan(rows); err != nil {
			return nil, false, err
		}
		events = append(events, e)
		if bytes += len(e.Payload); bytes >= batchBytes {
			return events, true, nil
		}
	}
	return events, len(events) == limit, rows.Err()
}

func topicFilter(topics []string, args []any) (string, []any) {
	for _, t := range topics {
		args = append(args, t)
	}
	return "(" + strings.Repeat("e.topic GLOB ? OR ", len(topics)-1) + "e.topic GLOB ?)", args
}

// flush stores the progress if this consumer still holds the lease and the cursor has
// not been moved. On error it keeps the progress for the next attempt.
func (c *consumer) flush() error {
	p := c.unflushed
	if p == nil {
		return nil
	}
	// Not the handler's context: progress is stored even while the bus is closing.
	err := c.j.db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		if err := tx.RenewLease(ctx, c.lease); err != nil {
			return err
		}
		if n, err := engine.Affected(tx.Exec(ctx, "UPDATE consumers SET cursor = ?, updated_at = ? WHERE name = ? AND cursor = ?",
			p.cursor, tx.Now.UnixMilli(), c.name, c.cursor)); err != nil {
			return err
		} else if n == 0 {
			return fmt.Errorf("the cursor of consumer %s: %w", c.name, schema.ErrConflict)
		}
		for seq, d := range p.deliveries {
			if err := storeDelivery(ctx, tx, c.name, seq, d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.cursor, c.pos, c.unflushed = p.cursor, p.cursor, nil
	c.j.announceSettled()
	return nil
}

func storeDelivery(ctx context.Context, tx *schema.Tx, consumer string, seq int64, d delivery) error {
	if d.succeeded {
		_, err := tx.Exec(ctx, "DELETE FROM deliveries WHERE consumer = ? AND seq = ?", consumer, seq)
		return err
	}
	// An event that was erased meanwhile is not retried.
	_, err := tx.Exec(ctx, `INSERT INTO deliveries (consumer, seq, attempts, next_attempt_at, last_error)
		SELECT ?, seq, ?, ?, ? FROM events WHERE seq = ?
		ON CONFLICT (consumer, seq) DO UPDATE SET attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error`,
		consumer, d.attempts, schema.At(d.next), d.lastError, seq)
	return err
}

func shorten(message string) string {
	if len(message) <= maxError {
		return strings.ToValidUTF8(message, "")
	}
	cut := maxError
	for !utf8.RuneStart(message[cut]) {
		cut--
	}
	return strings.ToValidUTF8(message[:cut], "")
}
