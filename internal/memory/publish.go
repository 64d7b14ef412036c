package memory

import (
	"context"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// Batch is events that are ready to be stored, once and together.
type Batch struct {
	m        *Memory
	events   *eventbus.Batch
	episodes []*episode // of each event; nil for one that is no message
}

// Prepare checks and redacts events and does what storing them costs before the
// transaction.
//
// Errors: [*schema.InvalidError], [*schema.RedactionError], the context's error.
func (m *Memory) Prepare(ctx context.Context, events ...eventbus.Event) (*Batch, error) {
	checked, err := m.Bus.Prepare(ctx, events...)
	if err != nil {
		return nil, err
	}
	b := &Batch{m: m, events: checked, episodes: make([]*episode, len(events))}
	for i := range b.episodes {
		if b.episodes[i], err = newEpisode(checked.Event(i)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Publish stores the events, all or none, with the episodes of the messages among
// them: when it returns, their text is found. queued, if set, is called when the
// write has its place in the queue; see [eventbus.Batch.Publish].
func (b *Batch) Publish(ctx context.Context, queued func()) ([]eventbus.Outcome, error) {
	if len(b.episodes) == 0 {
		return b.events.Publish(ctx, queued, b.store)
	}
	ctx, done := b.m.Observe.Begin(ctx, schema.Operation{Name: "publish", Scope: b.events.Event(0).Scope})
	outcomes, err := b.events.Publish(ctx, queued, b.store)
	done(len(outcomes), err)
	return outcomes, err
}

// Publish is [Memory.Prepare] and [Batch.Publish].
func (m *Memory) Publish(ctx context.Context, events ...eventbus.Event) error {
	b, err := m.Prepare(ctx, events...)
	if err != nil {
		return err
	}
	_, err = b.Publish(ctx, nil)
	return err
}

// store writes the episodes of the events at these places, which the journal has
// just stored, and returns the reports of them.
func (b *Batch) store(ctx context.Context, tx *schema.Tx, fresh []int) ([]eventbus.PreparedReport, error) {
	memories, reports := make([]schema.NewMemory, 0, len(fresh)), make([]eventbus.PreparedReport, 0, len(fresh))
	for _, i := range fresh {
		p := b.episodes[i]
		if p == nil {
			continue
		}
		m, err := p.memory(ctx, tx, b.events.Event(i))
		if err != nil {
			return nil, err
		}
		memories, reports = append(memories, schema.NewMemory{Memory: m, Chunks: p.chunks}), append(reports, p.stored)
	}
	return reports, b.m.insert(ctx, tx, memories)
}

// insert stores the memories of messages.
func (m *Memory) insert(ctx context.Context, tx *schema.Tx, memories []schema.NewMemory) error {
	if len(memories) == 0 {
		return nil
	}
	if err := tx.InsertMemories(ctx, memories...); err != nil {
		return err
	}
	for _, m := range memories {
		if m.Importance > 0 { // else it is rated, and counted, in the background
			if err := tx.GatherImportance(ctx, m.UserID, m.Importance); err != nil {
				return err
			}
		}
	}
	m.wakeVectors(tx)
	return nil
}

// Remember stores the episode of a message that the journal holds already, and
// announces it.
func (m *Memory) Remember(ctx context.Context, tx *schema.Tx, e *eventbus.Event) error {
	p, err := newEpisode(e)
	if p == nil || err != nil {
		return err
	}
	remembered, err := p.memory(ctx, tx, e)
	if err != nil {
		return err
	}
	if err := m.insert(ctx, tx, []schema.NewMemory{{Memory: remembered, Chunks: p.chunks}}); err != nil {
		return err
	}
	return m.Bus.AppendPrepared(ctx, tx, p.stored)
}
