package extension

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// publication is one call of publish on its way into the store.
type publication struct {
	turn   *turn
	from   door
	made   []made
	stored chan struct{} // closed when it is over
}

// made is what a publication has noted: a report of a message.
type made struct {
	of     *captured
	report report
}

// publish sends the events of turn t, which are those of one conversation, on
// through next, leaving out those that another door has already reported. They
// are stored in the order of the calls; calls at the same time share a commit.
func (c *captures) publish(ctx context.Context, from door, next *memory.Memory, t *turn, events ...eventbus.Event) (err error) {
	t.order.Lock()
	queued := sync.OnceFunc(t.order.Unlock)
	defer queued()
	p := &publication{turn: t, from: from, stored: make(chan struct{})}
	defer func() { p.end(err) }()
	var fresh []eventbus.Event
	for _, e := range events {
		known, err := p.recognise(ctx, e, c.now())
		if err != nil {
			return err
		}
		if !known {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	c.stamp(fresh)
	if err := c.admitted(ctx, t, fresh); err != nil {
		return err
	}
	batch, err := next.Prepare(ctx, fresh...)
	if err != nil {
		return err
	}
	_, err = batch.Publish(ctx, queued)
	return err
}

// admitted is admit that takes the lock.
func (c *captures) admitted(ctx context.Context, t *turn, events []eventbus.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.admit(ctx, t, events)
}

// recognise reports whether an event's message was reported before, and notes
// that it is now. While that message is on its way into the store it waits:
// should it not arrive, this one is needed.
func (p *publication) recognise(ctx context.Context, e eventbus.Event, now time.Time) (known bool, err error) {
	m, err := e.Message()
	if err != nil {
		return false, nil //nolint:nilerr // not a message: nothing to recognise
	}
	if !e.OccurredAt.IsZero() && now.Sub(e.OccurredAt).Abs() > turnLength {
		return false, nil // history
	}
	hash := schema.HashContent(m.Text)
	for {
		underway, known := p.note(m.Role, hash, e.ID, now)
		if underway == nil {
			return known, nil
		}
		select {
		case <-underway:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// note adds this report to the message that it repeats, or a new message. It
// returns what to wait for instead when that message is another publication's
// and not stored yet.
func (p *publication) note(role, hash, id string, now time.Time) (underway <-chan struct{}, known bool) {
	t := p.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recent = slices.DeleteFunc(t.recent, func(c *captured) bool { return now.Sub(c.at) > turnLength })
	of := t.repeated(p.from, role, hash, id)
	switch {
	case of == nil:
		of = &captured{role: role, hash: hash, at: now, stored: p.stored}
		if len(t.recent) == recentCaptures {
			t.recent = slices.Delete(t.recent, 0, 1)
		}
		t.recent = append(t.recent, of)
	case of.stored != p.stored && !of.isStored():
		return of.stored, false
	case id != "" && of.hasID(id):
		return nil, true // reported again, for instance after a time-out
	default:
		known = true
	}
	r := report{p.from, id}
	of.reports = append(of.reports, r)
	p.made = append(p.made, made{of, r})
	return nil, known
}

// end takes back what was noted of a publication that failed.
func (p *publication) end(err error) {
	if err != nil {
		p.turn.mu.Lock()
		for _, m := range p.made {
			m.of.reports = slices.DeleteFunc(m.of.reports, func(r report) bool { return r == m.report })
		}
		p.turn.recent = slices.DeleteFunc(p.turn.recent, func(c *captured) bool { return len(c.reports) == 0 })
		p.turn.mu.Unlock()
	}
	close(p.stored)
}
