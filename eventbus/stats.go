package eventbus

import (
	"context"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
)

// ConsumerStats is the state of one consumer.
type ConsumerStats struct {
	Name          string    `json:"name"`
	Cursor        int64     `json:"cursor"`                  // Seq of the last event that was delivered or skipped, including failed ones
	Lag           int64     `json:"lag"`                     // events of its topics after the cursor
	LagAtMost     bool      `json:"lag_at_most,omitempty"`   // Lag is an upper bound: the consumer's topics are unknown here, so it counts all topics
	Retrying      int       `json:"retrying"`                // failed events that will be tried again
	Parked        int       `json:"parked"`                  // failed events that are not retried until [Journal.Retry]
	OldestPending time.Time `json:"oldest_pending,omitzero"` // RecordedAt of the oldest event not done and not parked
	LastError     string    `json:"last_error,omitempty"`    // of the newest failed event
	Fault         string    `json:"fault,omitempty"`         // error of the consumer's last pass; "" if it is not subscribed here
}

// Stats returns the state of every consumer in the file, whether subscribed here or
// not, sorted by name.
func (j *Journal) Stats(ctx context.Context) ([]ConsumerStats, error) {
	var all []ConsumerStats
	err := j.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		if all, err = ReadConsumers(ctx, s); err != nil {
			return err
		}
		for i := range all {
			all[i].Fault = j.faultOf(all[i].Name)
			if err := j.addLag(ctx, s, &all[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// ReadConsumers returns the state of every consumer, sorted by name, without what only
// a [Journal] knows: Lag and Fault. OldestPending counts failed events only.
func ReadConsumers(ctx context.Context, q schema.Querier) (all []ConsumerStats, err error) {
	var c ConsumerStats
	var oldest schema.Time
	err = schema.Each(ctx, q.QueryContext, []any{&c.Name, &c.Cursor, &c.Retrying, &c.Parked, &c.LastError, &oldest}, func() error {
		c.OldestPending = oldest.Time
		all = append(all, c)
		return nil
	}, `SELECT c.name, c.cursor,
			count(d.next_attempt_at), count(d.seq) - count(d.next_attempt_at),
			coalesce((SELECT last_error FROM deliveries WHERE consumer = c.name AND last_error <> '' ORDER BY seq DESC LIMIT 1), ''),
			(SELECT min(e.recorded_at) FROM deliveries r JOIN events e ON e.seq = r.seq WHERE r.consumer = c.name AND r.next_attempt_at IS NOT NULL)
		FROM consumers c LEFT JOIN deliveries d ON d.consumer = c.name
		GROUP BY c.name ORDER BY c.name`)
	return all, err
}

func (j *Journal) addLag(ctx context.Context, s *schema.Snapshot, c *ConsumerStats) error {
	topics, ok := j.topicsOf(c.Name)
	if !ok {
		topics, c.LagAtMost = []string{"*"}, true
	}
	filter, args := topicFilter(topics, []any{c.Cursor})
	var oldest schema.Time
	if err := s.Row(ctx, "SELECT count(*), min(e.recorded_at) FROM events e WHERE e.seq > ? AND "+filter, args, &c.Lag, &oldest); err != nil {
		return err
	}
	if c.OldestPending.IsZero() || !oldest.IsZero() && oldest.Before(c.OldestPending) {
		c.OldestPending = oldest.Time
	}
	return nil
}

func (j *Journal) faultOf(consumer string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c, ok := j.consumers[consumer]; ok {
		return c.fault
	}
	return ""
}

func (j *Journal) topicsOf(consumer string) ([]string, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c, ok := j.consumers[consumer]; ok {
		return c.opts.topics, true
	}
	topics, ok := j.opts.Topics[consumer]
	return topics, ok
}

// ParkedEvent is a failed event that is no longer retried.
type ParkedEvent struct {
	Event
	Attempts  int    `json:"attempts"`
	LastError string `json:"last_error"`
}

// Parked lists the parked events of a consumer, oldest first. It returns
// [schema.ErrNotFound] for an unknown consumer.
func (j *Journal) Parked(ctx context.Context, consumer string) ([]ParkedEvent, error) {
	var parked []ParkedEvent
	err := j.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		var known int
		if err := s.Row(ctx, "SELECT count(*) FROM consumers WHERE name = ?", []any{consumer}, &known); err != nil {
			return err
		}
		if known == 0 {
			return fmt.Errorf("consumer %q: %w", consumer, schema.ErrNotFound)
		}
		rows, err := s.Query(ctx, `SELECT d.attempts, d.last_error, `+eventColumns+`
			FROM deliveries d JOIN events e ON e.seq = d.seq JOIN users u ON u.id = e.user_id
			WHERE d.consumer = ? AND d.next_attempt_at IS NULL ORDER BY d.seq`, consumer)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p ParkedEvent
			if err := p.scan(rows, &p.Attempts, &p.LastError); err != nil {
				return err
			}
			parked = append(parked, p)
		}
		return rows.Err()
	})
	return parked, err
}

// Retry schedules a parked or retrying event for immediate delivery and resets its
// count of attempts. It returns [schema.ErrNotFound] if the consumer has no such
// event.
func (j *Journal) Retry(ctx context.Context, consumer string, seq int64) error {
	err := j.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		if n, err := engine.Affected(tx.Exec(ctx, "UPDATE deliveries SET attempts = 0, next_attempt_at = ? WHERE consumer = ? AND seq = ?",
			time.Now().UnixMilli(), consumer, seq)); err != nil || n > 0 {
			return err
		}
		return fmt.Errorf("event %d of consumer %q: %w", seq, consumer, schema.ErrNotFound)
	})
	if err == nil {
		j.wakeConsumer(consumer)
	}
	return err
}

// Replay moves a consumer back, so that the event fromSeq and all after it are
// delivered again. Recorded failures of these events are dropped. An event that is being
// handled may not be delivered again: [Journal.WaitIdle] waits for those.
//
// Errors: [*schema.InvalidError] for a position after the consumer's own, which would
// skip events; [schema.ErrNotFound] for an unknown consumer.
func (j *Journal) Replay(ctx context.Context, consumer string, fromSeq int64) error {
	if fromSeq < 1 {
		return &schema.InvalidError{Field: "fromSeq", Reason: "must be at least 1, the first event"}
	}
	err := j.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		var cursor int64 = -1
		if err := tx.Row(ctx, "SELECT coalesce(max(cursor), -1) FROM consumers WHERE name = ?", []any{consumer}, &cursor); err != nil {
			return err
		}
		if cursor < 0 {
			return fmt.Errorf("consumer %q: %w", consumer, schema.ErrNotFound)
		}
		if fromSeq > cursor+1 {
			return &schema.InvalidError{Field: "fromSeq", Reason: fmt.Sprintf("is past the consumer's position %d; it would skip events", cursor)}
		}
		if _, err := tx.Exec(ctx, "DELETE FROM deliveries WHERE consumer = ? AND seq >= ?", consumer, fromSeq); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE consumers SET cursor = ?, updated_at = ? WHERE name = ?", fromSeq-1, tx.Now.UnixMilli(), consumer)
		return err
	})
	if err == nil {
		j.wakeConsumer(consumer)
	}
	return err
}

func (j *Journal) wakeConsumer(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c, ok := j.consumers[name]; ok {
		c.signalWake()
	}
}

// WaitIdle waits until the named consumers have no pending events and no retries that
// are due. Without names it waits for all consumers subscribed here. It does not wait
// for later retries and parked events; [Journal.Stats] counts those.
//
// Errors: [*schema.InvalidError] for a consumer that is not subscribed here,
// [schema.ErrClosed] if the bus is closed meanwhile, those of schema.DB.Read, the context's
// error.
func (j *Journal) WaitIdle(ctx context.Context, consumers ...string) error {
	if len(consumers) == 0 {
		consumers = j.subscribed()
	}
	for {
		j.mu.Lock()
		settled := j.settled
		j.mu.Unlock()
		idle, err := j.idle(ctx, consumers)
		if idle || err != nil {
			return err
		}
		j.hurry(consumers)
		timer := time.NewTimer(idlePoll)
		select {
		case <-settled:
		case <-timer.C: // another process may run the consumer
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		timer.Stop()
	}
}

// hurry makes consumers deliver now instead of collecting more events.
func (j *Journal) hurry(consumers []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, name := range consumers {
		if c := j.consumers[name]; c != nil {
			c.signalHurry()
		}
	}
}

const idlePoll = 50 * time.Millisecond

func (j *Journal) subscribed() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	names := make([]string, 0, len(j.consumers))
	for name, c := range j.consumers {
		if c.started {
			names = append(names, name)
		}
	}
	return names
}

// idle checks all consumers in one snapshot: progress is stored only after a
// handler has returned, so a running handler counts as pending.
func (j *Journal) idle(ctx context.Context, consumers []string) (idle bool, err error) {
	err = j.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		for _, name := range consumers {
			topics, ok := j.topicsOf(name)
			if !ok && j.isClosed() {
				return schema.ErrClosed // Close has removed the subscription
			}
			if !ok {
				return &schema.InvalidError{Field: "consumers", Reason: fmt.Sprintf("name %q, which is not subscribed here", name)}
			}
			filter, args := topicFilter(topics, []any{name})
			args = append(args, name, time.Now().UnixMilli())
			var open bool
			if err := s.Row(ctx, `SELECT EXISTS (SELECT 1 FROM events e WHERE e.seq > (SELECT cursor FROM consumers WHERE name = ?) AND `+filter+`)
				OR EXISTS (SELECT 1 FROM deliveries WHERE consumer = ? AND next_attempt_at <= ?)`, args, &open); err != nil {
				return err
			}
			if open {
				return nil
			}
		}
		idle = true
		return nil
	})
	return idle, err
}
