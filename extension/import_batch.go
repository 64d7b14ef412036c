package extension

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// A batch of turns is one transaction. The second bound keeps long messages
// from filling the memory.
const (
	batchTurns = 500
	batchBytes = 4 << 20
)

// turnBatch gathers turns and publishes them together.
type turnBatch struct {
	job     *importJob
	pending []pendingTurn
	byID    map[string]int // place in pending
	bytes   int
	read    int // turns of this batch, with repeated ones
}

type pendingTurn struct {
	where string
	event eventbus.Event
}

func newTurnBatch(j *importJob) *turnBatch { return &turnBatch{job: j, byID: make(map[string]int)} }

// add takes a turn and stores the batch when it is full.
func (b *turnBatch) add(ctx context.Context, where string, t importedTurn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e := b.job.event(t)
	if err := b.job.x.redactor.labels(e.Scope, e.ID); err != nil {
		return &ImportError{Where: where, Err: err}
	}
	b.job.sessions[e.Scope.Session] = struct{}{}
	b.read++
	if i, ok := b.byID[e.ID]; ok {
		before := b.pending[i]
		if field := difference(before.event.Payload, e.Payload, before.event.OccurredAt, e.OccurredAt, asStored); field != "" {
			return &ImportError{Where: where, Err: reusedID(field, before.where)}
		}
		return nil
	}
	b.byID[e.ID] = len(b.pending)
	b.pending = append(b.pending, pendingTurn{where, e})
	b.bytes += len(e.Payload)
	if len(b.pending) >= batchTurns || b.bytes >= batchBytes || b.job.opts.Clock != nil {
		return b.flush(ctx)
	}
	return nil
}

// flush stores what is pending, all or nothing.
func (b *turnBatch) flush(ctx context.Context) error {
	if b.read == 0 {
		return nil
	}
	fresh, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	if b.job.opts.Clock != nil && len(fresh) > 0 {
		b.job.opts.Clock(fresh[len(fresh)-1].OccurredAt)
	}
	if b.job.opts.Resurrect {
		if err := b.lift(ctx, fresh); err != nil {
			return err
		}
	}
	outcomes, err := b.job.x.bus.PublishEach(ctx, fresh...)
	if err != nil {
		return &ImportError{Where: b.pending[0].where + " and after", Err: err}
	}
	erased := 0
	for _, outcome := range outcomes {
		if outcome == eventbus.Erased {
			erased++
		}
	}
	b.job.stored(b.read, len(fresh)-erased, erased)
	b.pending, b.bytes, b.read = b.pending[:0], 0, 0
	clear(b.byID)
	return nil
}

// lift lets erased turns come back.
func (b *turnBatch) lift(ctx context.Context, turns []eventbus.Event) error {
	return b.job.x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		for _, e := range turns {
			if err := tx.LiftTombstone(ctx, e.Scope, schema.TombstoneEvent, e.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// fresh are the pending events that the user does not have yet. An id that
// was used for something else is an error: the journal would take the turn
// for a repetition, and it would be lost.
func (b *turnBatch) fresh(ctx context.Context) ([]eventbus.Event, error) {
	fresh := make([]eventbus.Event, 0, len(b.pending))
	err := b.job.x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, b.job.opts.Scope)
		if err != nil {
			return err
		}
		for _, p := range b.pending {
			var payload []byte
			var at schema.Time
			err := s.Row(ctx, "SELECT payload, occurred_at FROM events WHERE user_id = ? AND id = ?", []any{userID, p.event.ID}, &payload, &at)
			if errors.Is(err, sql.ErrNoRows) {
				fresh = append(fresh, p.event)
				continue
			}
			if err != nil {
				return err
			}
			if field := difference(payload, p.event.Payload, at.Time, p.event.OccurredAt, b.redacted(ctx)); field != "" {
				return &ImportError{Where: p.where, Err: reusedID(field, "an earlier import")}
			}
		}
		return nil
	})
	return fresh, err
}

// redacted gives a text that was stored before as it would be stored now: it
// may have come without redaction, or with less of it.
func (b *turnBatch) redacted(ctx context.Context) func(string) string {
	return func(text string) string {
		redacted, err := b.job.x.redactor.text(ctx, "", text)
		if err != nil {
			return text
		}
		return redacted
	}
}

func asStored(text string) string { return text }

// difference names the field in which two messages of one id differ.
func difference(a, b json.RawMessage, at, bt time.Time, redacted func(string) string) string {
	var ma, mb eventbus.Message
	if json.Unmarshal(a, &ma) != nil || json.Unmarshal(b, &mb) != nil || ma.Text != mb.Text && redacted(ma.Text) != mb.Text {
		return "text"
	}
	if !at.Equal(bt) {
		return "time"
	}
	return ""
}

func reusedID(field, before string) error {
	return &InvalidError{Field: "id", Reason: fmt.Sprintf(
		"was used by %s for a turn with another %s; ids are unique per user: change it, or import this conversation under a user of its own", before, field)}
}

// event is the turn as the bus takes it.
func (j *importJob) event(t importedTurn) eventbus.Event {
	scope := j.opts.Scope
	if scope.Session == "" {
		scope.Session = t.session
	}
	opts := []eventbus.MessageOption{eventbus.WithID(t.id), eventbus.At(t.at), eventbus.Speaker(t.speaker)}
	origin := j.opts.Origin
	if origin == "" {
		origin = schema.OriginImport
	}
	if t.role == "user" || origin != schema.OriginUser {
		opts = append(opts, eventbus.From(origin))
	} else {
		opts = append(opts, eventbus.Trusted(schema.OriginImport.Ceiling()))
	}
	switch t.role {
	case "assistant":
		return eventbus.AgentResponse(scope, t.text, opts...)
	case "tool":
		return eventbus.ToolResult(scope, t.speaker, t.text, opts...)
	}
	return eventbus.UserMessage(scope, t.text, opts...)
}
