package extension

import (
	"context"
	"errors"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// The consumers that work behind the turn. Their positions are durable under
// these names.
const (
	enrichConsumer   = "ebb.enrich"
	recalledConsumer = "ebb.recalled"
	saidConsumer     = "ebb.said"
)

// ownTopics are what they subscribe to.
var ownTopics = map[string][]string{enrichConsumer: {eventbus.TopicMemoryStored}, recalledConsumer: {eventbus.TopicMemoryRecalled},
	saidConsumer: {eventbus.TopicMemoryStored}}

// background is what works behind the turn: three consumers and the nights.
type background struct {
	schedule *consolidate.Schedule
}

func startBackground(ctx context.Context, x *Extension) (*background, error) {
	b := &background{}
	enricher := consolidate.NewEnricher(x.db, consolidate.EnrichOptions{Rate: x.cfg.Rater})
	_, err := x.bus.Subscribe(ctx, enrichConsumer, func(ctx context.Context, e eventbus.Event) error {
		err := enrich(ctx, enricher, e)
		if errors.Is(err, schema.ErrNotFound) {
			return nil // erased in the meantime
		}
		return err
	}, eventbus.Topics(ownTopics[enrichConsumer]...), eventbus.FromStart(), eventbus.InTurn(),
		eventbus.Together(func(ctx context.Context, events []eventbus.Event) error { return enrich(ctx, enricher, events...) }, enrichGather))
	if err != nil {
		return b, err
	}
	_, err = x.bus.Subscribe(ctx, recalledConsumer, func(ctx context.Context, e eventbus.Event) error {
		var recalled eventbus.Recalled
		if err := e.Decode(&recalled); err != nil {
			return eventbus.Permanent(err)
		}
		items := make([]consolidate.RecalledItem, len(recalled.Items))
		for i, item := range recalled.Items {
			items[i] = consolidate.RecalledItem(item)
		}
		for _, uid := range recalled.Core {
			items = append(items, consolidate.RecalledItem{ID: uid})
		}
		err := consolidate.ApplyRecalled(ctx, x.db, e.Scope, e.Seq, recalled.Channel, recalled.Query, items, e.OccurredAt)
		if errors.Is(err, schema.ErrNotFound) {
			return nil // the event was erased while it waited: nothing is to be kept of it
		}
		return err
	}, eventbus.Topics(ownTopics[recalledConsumer]...), eventbus.FromStart(), eventbus.InTurn())
	if err != nil {
		return b, err
	}
	_, err = x.bus.Subscribe(ctx, saidConsumer, func(ctx context.Context, e eventbus.Event) error { return x.readSaid(ctx, e) },
		eventbus.Topics(ownTopics[saidConsumer]...), eventbus.FromStart(), eventbus.InTurn(),
		eventbus.Together(func(ctx context.Context, events []eventbus.Event) error { return x.readSaid(ctx, events...) }, enrichGather))
	if err != nil {
		return b, err
	}
	if x.vectors != nil {
		if err := x.vectors.Start(ctx); err != nil {
			return b, err
		}
		x.searcher.Preload()
	}
	if x.cfg.NoSchedule && !x.cfg.wakeful {
		return b, nil
	}
	if b.schedule, err = x.newSchedule(); err != nil {
		return b, err
	}
	return b, b.schedule.Start(ctx)
}

// wake has the schedule see at once whether a user's memory has something to do.
func (b *background) wake(scope Scope) {
	if b != nil && b.schedule != nil {
		b.schedule.Wake(scope)
	}
}

// enrichGather is how long new memories wait for others to be enriched with: a
// write for each would take turns with those of the publishers.
const enrichGather = 100 * time.Millisecond

// enrich has the memories enriched that some events tell of, those of one user
// after the other together.
func enrich(ctx context.Context, enricher *consolidate.Enricher, events ...eventbus.Event) error {
	for len(events) > 0 {
		of := func(e eventbus.Event) bool {
			return e.Scope.Tenant == events[0].Scope.Tenant && e.Scope.User == events[0].Scope.User
		}
		var uids []string
		n := 0
		for ; n < len(events) && of(events[n]); n++ {
			var stored eventbus.Stored
			if err := events[n].Decode(&stored); err != nil {
				return eventbus.Permanent(err)
			}
			if !stored.Restored { // it would be read by what was learnt after it
				uids = append(uids, stored.ID)
			}
		}
		if err := enricher.Enrich(ctx, events[0].Scope, uids...); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// newSchedule makes what runs the nights that are due.
func (x *Extension) newSchedule() (*consolidate.Schedule, error) {
	return consolidate.NewSchedule(x.runner, x.db, consolidate.ScheduleOptions{
		Now: x.cfg.Now, Location: x.cfg.Location, NightTime: x.cfg.NightTime, OnDemand: x.cfg.NoSchedule,
		OnError:  func(err error) { x.report("night", err) },
		OnReport: func(scope Scope, report *consolidate.Report) { x.announceRun(context.Background(), scope, report, nil) },
	})
}

// stop ends the nights. The consumers end with the bus.
func (b *background) stop(ctx context.Context) error {
	if b == nil || b.schedule == nil {
		return nil
	}
	return b.schedule.Stop(ctx)
}

// WaitIdle returns when what works behind the turn has caught up with
// everything published before: what users said outright is stored, entities are
// linked, access is counted, vectors are made. An embedder that fails cuts it short with its error; the work goes
// on. Without background work it returns at once.
func (x *Extension) WaitIdle(ctx context.Context) error {
	if x.behind == nil {
		return nil
	}
	if err := x.bus.WaitIdle(ctx); err != nil || x.vectors == nil {
		return err
	}
	return x.vectors.WaitIdle(ctx)
}
