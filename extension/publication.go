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

// publication is one call of publish.
type publication struct {
	conversation *conversation
	from         source
	made         []made
	stored       chan struct{} // closed when the call ends
}

// made is a report that a publication has recorded.
type made struct {
	of     *captured
	report report
}

// publish stores the events of one conversation, leaving out messages that another
// source has already reported, and returns how many were new. They are stored in the
// order of the calls; concurrent calls share a commit.
func (c *captures) publish(ctx context.Context, from source, next *memory.Memory, t *conversation, events ...eventbus.Event) (stored int, err error) {
	t.order.Lock()
	queued := sync.OnceFunc(t.order.Unlock)
	defer queued()
	p := &publication{conversation: t, from: from, stored: make(chan struct{})}
	defer func() { p.end(err) }()
	var fresh []eventbus.Event
	for _, e := range events {
		known, err := p.recognise(ctx, e, c.now())
		if err != nil {
			return 0, err
		}
		if !known {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return 0, nil
	}
	c.stamp(fresh)
	if err := c.admitted(ctx, t, fresh); err != nil {
		return 0, err
	}
	batch, err := next.Prepare(ctx, fresh...)
	if err != nil {
		return 0, err
	}
	outcomes, err := batch.Publish(ctx, queued)
	for _, o := range outcomes {
		if o == eventbus.Journalled {
			stored++
		}
	}
	return stored, err
}

// admitted is admit with t.mu taken.
func (c *captures) admitted(ctx context.Context, t *conversation, events []eventbus.Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.admit(ctx, t, events)
}

// recognise records the report and returns whether the message was reported before.
// If that message is still being stored by another call, it waits: should that call
// fail, this one stores the message.
func (p *publication) recognise(ctx context.Context, e eventbus.Event, now time.Time) (known bool, err error) {
	m, err := e.Message()
	if err != nil {
		return false, nil //nolint:nilerr // not a message
	}
	if !e.OccurredAt.IsZero() && now.Sub(e.OccurredAt).Abs() > turnLength {
		return false, nil // not a live message
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

// note adds the report to the message it repeats, or adds a new message. If that
// message is still being stored by another publication, it only returns the channel
// to wait for.
func (p *publication) note(role, hash, id string, now time.Time) (underway <-chan struct{}, known bool) {
	t := p.conversation
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
		return nil, true // retried, for instance after a timeout
	default:
		known = true
	}
	r := report{p.from, id}
	of.reports = append(of.reports, r)
	p.made = append(p.made, made{of, r})
	return nil, known
}

// end removes the reports of a failed publication and signals its end.
func (p *publication) end(err error) {
	if err != nil {
		p.conversation.mu.Lock()
		for _, m := range p.made {
			m.of.reports = slices.DeleteFunc(m.of.reports, func(r report) bool { return r == m.report })
		}
		p.conversation.recent = slices.DeleteFunc(p.conversation.recent, func(c *captured) bool { return len(c.reports) == 0 })
		p.conversation.mu.Unlock()
	}
	close(p.stored)
}
