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
	"github.com/ebbmem/ebb/schema/records"
)

// A batch of turns is one transaction. The byte bound limits memory, which holds
// two batches: one is prepared while the previous one is being stored.
const (
	batchTurns = 1000
	batchBytes = 4 << 20
)

// turnBatch is a batch of turns that are published together.
type turnBatch struct {
	where   string // position of the first turn
	pending []pendingTurn
	byID    map[string]int // index in pending
	bytes   int
	read    int   // turns, including duplicates
	fresh   int   // turns the user does not have yet
	end     int64 // bytes read from the input
	cycle   int64 // highest

	done     chan struct{} // closed when it is stored or err is set
	outcomes []eventbus.Outcome
	err      error
}

type pendingTurn struct {
	where   string
	event   eventbus.Event
	nth     int  // number among the turns read for the batch, from 1
	untimed bool // compared without its time
}

func newTurnBatch() *turnBatch {
	return &turnBatch{byID: make(map[string]int), done: make(chan struct{})}
}

// find returns the pending turn with an id.
func (b *turnBatch) find(id string) (t pendingTurn, found bool) {
	i, found := b.byID[id]
	if found {
		t = b.pending[i]
	}
	return t, found
}

// turnBatches fills one batch while the previous one is being stored.
type turnBatches struct {
	job    *importJob
	now    *turnBatch
	before *turnBatch // the previous batch; none() if there is none
	cycle  int64      // highest cycle stored
}

// none returns an empty batch that counts as stored.
func none() *turnBatch {
	b := newTurnBatch()
	close(b.done)
	return b
}

func newTurnBatches(j *importJob) *turnBatches {
	return &turnBatches{job: j, now: newTurnBatch(), before: none()}
}

// add adds a turn and flushes the batch when it is full.
func (b *turnBatches) add(ctx context.Context, where string, t importedTurn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := b.job.event(ctx, t)
	if err != nil {
		return err
	}
	now := b.now
	if err := b.job.m.Redactor.Labels(e.Scope, e.ID); err != nil {
		return &ImportError{Where: where, Err: err}
	}
	now.cycle = max(now.cycle, t.cycle)
	if now.read++; now.read == 1 {
		now.where = where
	}
	for _, batch := range [...]*turnBatch{now, b.before} {
		if first, found := batch.find(e.ID); found {
			if field := difference(&first.event, &e, asStored); field != "" && field != moment {
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

// flush prepares the batch and starts storing it in one transaction after the
// previous batch is stored. If a turn cannot be stored, it stores the turns before
// it and returns the turn's error.
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
	ready, err := b.job.m.Prepare(ctx, fresh...)
	if err != nil {
		return &ImportError{Where: batch.where + " and after", Err: err}
	}
	if err := b.wait(); err != nil {
		return err
	}
	loaded := func() {}
	if len(batch.pending) == batchTurns { // probably one of many batches
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

// wait waits until the previous batch is stored and counts it.
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

// fresh returns the events of the batch that the user does not have yet. An id in
// use for another message is an error, since the journal would drop the turn as a
// duplicate. faulty is the first such error; the batch then ends before that turn.
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
			switch field := differ[p.event.ID]; {
			case field == moment: // the same turn, published live by a clock of the host's own
			case field != "":
				faulty = &ImportError{Where: p.where, Err: reusedID(field, "what is stored of this user")}
				b.now.pending, b.now.read = pending[:i], p.nth-1
				return nil
			case !known[p.event.ID]:
				fresh = append(fresh, p.event)
			}
		}
		return nil
	})
	return fresh, faulty, err
}

// rename gives a turn the id that [ImportOptions].Rename returns, if any.
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

// known returns the ids of turns that the user has, and, for ids in use for another
// turn, the field that differs.
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
	stored, err := records.StoredEvents(ctx, s.Query, userID, slices.Collect(maps.Keys(byID))...)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range stored {
		turn, before := byID[e.ID], eventbus.Event{Scope: schema.Scope{Session: e.Session}, Payload: e.Payload, OccurredAt: e.OccurredAt.Time}
		if turn.untimed {
			before.OccurredAt = turn.event.OccurredAt
		}
		if field := difference(&before, &turn.event, b.job.redacted(ctx)); field != "" {
			differ[e.ID] = field
			continue
		}
		known[e.ID] = true
	}
	return known, differ, nil
}

// redacted returns a function that redacts a stored text, which may have been
// stored with less redaction, for comparison with new text.
func (j *importJob) redacted(ctx context.Context) func(string) string {
	return func(text string) string {
		redacted, err := j.m.Redactor.Text(ctx, "", text)
		if err != nil {
			return text
		}
		return redacted
	}
}

func asStored(text string) string { return text }

// moment is the difference of a turn that was published live, by a clock of the host's own.
const moment = "moment"

// difference returns the field in which two messages with one id differ, or "". It is [moment]
// for a time within a day.
func difference(a, b *eventbus.Event, redacted func(string) string) string {
	switch apart := a.OccurredAt.Sub(b.OccurredAt).Abs(); {
	case differsInText(a.Payload, b.Payload, redacted):
		return "text"
	case a.Scope.Session != b.Scope.Session && apart > 0: // the same file may name its session otherwise
		return "session"
	case apart > 24*time.Hour:
		return "time"
	case apart > 0:
		return moment
	}
	return ""
}

func differsInText(a, b json.RawMessage, redacted func(string) string) bool {
	var ma, mb eventbus.Message
	return json.Unmarshal(a, &ma) != nil || json.Unmarshal(b, &mb) != nil || ma.Text != mb.Text && redacted(ma.Text) != mb.Text
}

func reusedID(field, before string) error {
	return &schema.InvalidError{Field: "id", Reason: fmt.Sprintf(
		"was used by %s for a turn with another %s; ids are unique per user: give this turn another, as one that begins with its conversation's name", before, field)}
}

// answered is the trust of an assistant's answers in a history of the host's own users: they
// are injected like answers given here, but never replace what the user said, since the program
// may have had tools that the history does not show. Where it shows some, they have the trust of
// these.
const answered schema.Trust = 3

// mostTrusted returns the trust that an answer in a session may have: that of what is stored in it,
// as by the import of another file.
func (j *importJob) mostTrusted(ctx context.Context, session string, at time.Time) (most schema.Trust, err error) {
	most = answered
	var since time.Time
	if session == "" {
		since = at.Add(-24 * time.Hour)
	}
	err = j.m.DB.ReadUser(ctx, j.opts.Scope, func(ctx context.Context, s *schema.Snapshot, userID int64) error {
		stored, err := s.LeastTrusted(ctx, userID, session, since)
		most = min(most, stored)
		return err
	})
	return most, err
}

// event returns the turn as an event.
func (j *importJob) event(ctx context.Context, t importedTurn) (e eventbus.Event, err error) {
	scope := j.opts.Scope
	scope.Session = cmp.Or(scope.Session, t.session)
	scope.Agent = cmp.Or(t.agent, scope.Agent)
	opts := append([]eventbus.MessageOption{eventbus.WithID(t.id), eventbus.At(t.at), eventbus.Speaker(t.speaker)}, t.labels...)
	origin := cmp.Or(j.opts.Origin, schema.OriginImport)
	least, begun := j.sessions[scope.Session]
	if !begun && origin == schema.OriginUser {
		if least, err = j.mostTrusted(ctx, scope.Session, t.at); err != nil {
			return e, err
		}
	}
	if t.tools {
		least = min(least, schema.OriginToolExternal.Ceiling())
	}
	switch {
	case t.role == "user" || origin != schema.OriginUser:
		opts = append(opts, eventbus.From(origin))
	case t.claim:
		opts = append(opts, eventbus.From(schema.OriginImport))
	case t.role == "assistant":
		opts = append(opts, eventbus.Trusted(least))
	default:
		least = schema.OriginToolExternal.Ceiling()
	}
	j.sessions[scope.Session] = least
	switch t.role {
	case "assistant":
		return eventbus.AgentResponse(scope, t.text, opts...), nil
	case "tool":
		return eventbus.ToolResult(scope, t.speaker, t.text, opts...), nil
	}
	return eventbus.UserMessage(scope, t.text, opts...), nil
}
