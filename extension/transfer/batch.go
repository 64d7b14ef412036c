package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// A batch of turns is one transaction. The second bound keeps long messages
// from filling the memory, which holds two batches: one is read and made ready
// while the one before is stored.
const (
	batchTurns = 1000
	batchBytes = 4 << 20
)

// turnBatch is turns that are published together.
type turnBatch struct {
	where   string // of the first
	pending []pendingTurn
	byID    map[string]int // place in pending
	bytes   int
	read    int   // turns, with repeated ones
	fresh   int   // those that the user does not have
	end     int64 // bytes read from the input
	cycle   int64 // the latest

	done     chan struct{} // closed when it is stored, or err is set
	outcomes []eventbus.Outcome
	err      error
}

type pendingTurn struct {
	where   string
	event   eventbus.Event
	nth     int  // of the turns of the batch that were read, from 1
	untimed bool // it is known at any time
}

func newTurnBatch() *turnBatch {
	return &turnBatch{byID: make(map[string]int), done: make(chan struct{})}
}

// find looks a turn up by its id.
func (b *turnBatch) find(id string) (t pendingTurn, found bool) {
	i, found := b.byID[id]
	if found {
		t = b.pending[i]
	}
	return t, found
}

// turnBatches gathers turns in one batch while the one before is stored.
type turnBatches struct {
	job    *importJob
	now    *turnBatch
	before *turnBatch // empty when there is none under way
	cycle  int64      // the latest of those that are stored
}

// none is a batch that is stored.
func none() *turnBatch {
	b := newTurnBatch()
	close(b.done)
	return b
}

func newTurnBatches(j *importJob) *turnBatches {
	return &turnBatches{job: j, now: newTurnBatch(), before: none()}
}

// add takes a turn and stores the batch when it is full.
func (b *turnBatches) add(ctx context.Context, where string, t importedTurn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, now := b.job.event(t), b.now
	if err := b.job.m.Redactor.Labels(e.Scope, e.ID); err != nil {
		return &ImportError{Where: where, Err: err}
	}
	b.job.sessions[e.Scope.Session] = struct{}{}
	now.cycle = max(now.cycle, t.cycle)
	if now.read++; now.read == 1 {
		now.where = where
	}
	for _, batch := range [...]*turnBatch{now, b.before} {
		if first, found := batch.find(e.ID); found {
			if field := difference(first.event.Payload, e.Payload, first.event.OccurredAt, e.OccurredAt, asStored); field != "" {
				now.read--
				return &ImportError{Where: where, Err: reusedID(field, first.where)}
			}
			return nil
		}
	}
	now.byID[e.ID] = len(now.pending)
	now.pending = append(now.pending, pendingTurn{where, e, now.read, t.untimed})
	now.bytes += len(e.Payload)
	if len(now.pending) >= batchTurns || now.bytes >= batchBytes || b.job.opts.Clock != nil {
		return b.flush(ctx)
	}
	return nil
}

// flush makes the batch ready and begins to store it, all or nothing, as soon
// as the one before is stored. Of a batch with a turn that cannot be stored it
// stores those before it, and returns what is wrong with it.
func (b *turnBatches) flush(ctx context.Context) error {
	batch := b.now
	if batch.read == 0 {
		return nil
	}
	fresh, faulty, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	batch.fresh, batch.end = len(fresh), b.job.in.done
	if b.job.opts.Clock != nil && len(fresh) > 0 {
		if err := b.wait(); err != nil {
			return err
		}
		if err := memory.CallHost("ImportOptions.Clock", func() error { b.job.opts.Clock(fresh[len(fresh)-1].OccurredAt); return nil }); err != nil {
			return err
		}
	}
	if b.job.opts.Resurrect {
		if err := b.lift(ctx, fresh); err != nil {
			return err
		}
	}
	ready, err := b.job.m.Prepare(ctx, fresh...)
	if err != nil {
		return &ImportError{Where: batch.where + " and after", Err: err}
	}
	if err := b.wait(); err != nil {
		return err
	}
	loaded := func() {}
	if len(batch.pending) == batchTurns { // one of many, it seems
		loaded = b.job.m.Bus.Load()
	}
	go func() {
		defer close(batch.done)
		defer loaded()
		batch.outcomes, batch.err = ready.Publish(ctx, nil)
	}()
	b.before, b.now = batch, newTurnBatch()
	return faulty
}

// wait returns when the batch before is stored, and counts it.
func (b *turnBatches) wait() error {
	batch := b.before
	b.before = none()
	<-batch.done
	if batch.err != nil {
		return &ImportError{Where: batch.where + " and after", Err: batch.err}
	}
	if batch.read == 0 {
		return nil
	}
	b.cycle = max(b.cycle, batch.cycle)
	erased := 0
	for _, outcome := range batch.outcomes {
		if outcome == eventbus.Erased {
			erased++
		}
	}
	b.job.stored(batch.read, batch.fresh-erased, erased, batch.end)
	return nil
}

// lift lets erased turns come back.
func (b *turnBatches) lift(ctx context.Context, turns []eventbus.Event) error {
	return b.job.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		for _, e := range turns {
			if err := tx.LiftTombstone(ctx, e.Scope, schema.TombstoneEvent, e.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// fresh are the events of the batch that the user does not have yet. An id that
// was used for something else is an error: the journal would take the turn
// for a repetition, and it would be lost. faulty is the first such error; then
// the batch ends before that turn.
func (b *turnBatches) fresh(ctx context.Context) (fresh []eventbus.Event, faulty, err error) {
	pending := b.now.pending
	err = b.job.m.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		known, differ, err := b.known(ctx, s, pending)
		if err != nil {
			return err
		}
		var renamed []pendingTurn
		for i := range pending {
			if p := &pending[i]; differ[p.event.ID] != "" && b.job.opts.Rename != nil {
				if err := b.rename(p); err != nil {
					return err
				}
				renamed = append(renamed, *p)
			}
		}
		if len(renamed) > 0 {
			also, differs, err := b.known(ctx, s, renamed)
			if err != nil {
				return err
			}
			maps.Copy(known, also)
			maps.Copy(differ, differs)
		}
		for i := range pending {
			p := &pending[i]
			if field := differ[p.event.ID]; field != "" {
				faulty = &ImportError{Where: p.where, Err: reusedID(field, "an earlier import")}
				b.now.pending, b.now.read = pending[:i], p.nth-1
				return nil
			}
			if !known[p.event.ID] {
				fresh = append(fresh, p.event)
			}
		}
		return nil
	})
	return fresh, faulty, err
}

// rename gives a turn the id that the host has for it, if any.
func (b *turnBatches) rename(p *pendingTurn) error {
	return memory.CallHost("ImportOptions.Rename", func() error {
		id := b.job.opts.Rename(p.event.ID)
		if id == "" {
			return nil
		}
		if err := cmp.Or(schema.ValidLabel("id", id), b.job.m.Redactor.Labels(p.event.Scope, id)); err != nil {
			return &ImportError{Where: p.where, Err: err}
		}
		p.event.ID = id
		return nil
	})
}

// known are the ids of some turns that the user has, and differ the field in which
// what she has under one is another turn.
func (b *turnBatches) known(ctx context.Context, s *schema.Snapshot, turns []pendingTurn) (known map[string]bool, differ map[string]string, err error) {
	known, differ = make(map[string]bool), make(map[string]string)
	userID, err := s.UserID(ctx, b.job.opts.Scope)
	if err != nil {
		return nil, nil, err
	}
	byID := make(map[string]*pendingTurn, len(turns))
	for i := range turns {
		byID[turns[i].event.ID] = &turns[i]
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(byID)))
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.Query(ctx, "SELECT id, payload, occurred_at FROM events WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))", userID, string(ids))
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var payload []byte
		var at schema.Time
		if err := rows.Scan(&id, &payload, &at); err != nil {
			return nil, nil, err
		}
		turn := byID[id]
		said := turn.event.OccurredAt
		if turn.untimed {
			said = at.Time
		}
		if field := difference(payload, turn.event.Payload, at.Time, said, b.redacted(ctx)); field != "" {
			differ[id] = field
			continue
		}
		known[id] = true
	}
	return known, differ, rows.Err()
}

// redacted gives a text that was stored before as it would be stored now: it
// may have come without redaction, or with less of it.
func (b *turnBatches) redacted(ctx context.Context) func(string) string {
	return func(text string) string {
		redacted, err := b.job.m.Redactor.Text(ctx, "", text)
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
	return &schema.InvalidError{Field: "id", Reason: fmt.Sprintf(
		"was used by %s for a turn with another %s; ids are unique per user: change it, or import this conversation under a user of its own", before, field)}
}

// event is the turn as the bus takes it.
func (j *importJob) event(t importedTurn) eventbus.Event {
	scope := j.opts.Scope
	if scope.Session == "" {
		scope.Session = t.session
	}
	scope.Agent = cmp.Or(t.agent, scope.Agent)
	opts := append([]eventbus.MessageOption{eventbus.WithID(t.id), eventbus.At(t.at), eventbus.Speaker(t.speaker)}, t.labels...)
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
