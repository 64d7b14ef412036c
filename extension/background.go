package extension

import (
	"context"
	"errors"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/appraise"
	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
)

// background is the work done outside of turns: three consumers of the event bus
// and the nightly schedule.
type background struct {
	schedule *schedule.Schedule
}

func startBackground(ctx context.Context, x *Extension) (*background, error) {
	b := &background{}
	options := enrich.Options{Rate: x.cfg.Ranking.Rater}
	if x.cfg.Ranking.Appraise != nil {
		options.Appraise = (&appraise.Appraiser{DB: x.db, Searcher: x.searcher, Func: x.cfg.Ranking.Appraise}).Rate
	}
	enricher := enrich.New(x.db, options)
	_, err := x.bus.Subscribe(ctx, memory.EnrichConsumer, func(ctx context.Context, e eventbus.Event) error {
		err := enrichEvents(ctx, enricher, e)
		if errors.Is(err, schema.ErrNotFound) {
			return nil // erased in the meantime
		}
		return err
	}, eventbus.Topics(memory.Consumers[memory.EnrichConsumer]...), eventbus.FromStart(), eventbus.Limited(),
		eventbus.InBatches(func(ctx context.Context, events []eventbus.Event) error {
			return enrichEvents(ctx, enricher, events...)
		}, enrichGather))
	if err != nil {
		return b, err
	}
	_, err = x.bus.Subscribe(ctx, memory.RecalledConsumer, func(ctx context.Context, e eventbus.Event) error {
		var recalled eventbus.Recalled
		if err := e.Decode(&recalled); err != nil {
			return eventbus.Permanent(err)
		}
		items := make([]enrich.RecalledItem, len(recalled.Items))
		for i, item := range recalled.Items {
			items[i] = enrich.RecalledItem(item)
		}
		for _, uid := range recalled.Core {
			items = append(items, enrich.RecalledItem{ID: uid})
		}
		err := enrich.ApplyRecalled(ctx, x.db, e.Scope, e.Seq, recalled.Channel, recalled.Query, items, e.OccurredAt)
		if errors.Is(err, schema.ErrNotFound) {
			return nil // the event was erased while it waited: nothing is to be kept of it
		}
		return err
	}, eventbus.Topics(memory.Consumers[memory.RecalledConsumer]...), eventbus.FromStart(), eventbus.Limited())
	if err != nil {
		return b, err
	}
	_, err = x.bus.Subscribe(ctx, memory.SaidConsumer, func(ctx context.Context, e eventbus.Event) error { return x.readSaid(ctx, e) },
		eventbus.Topics(memory.Consumers[memory.SaidConsumer]...), eventbus.FromStart(), eventbus.Limited(),
		eventbus.InBatches(func(ctx context.Context, events []eventbus.Event) error { return x.readSaid(ctx, events...) }, enrichGather))
	if err != nil {
		return b, err
	}
	if x.vectors != nil {
		if err := x.vectors.Start(ctx); err != nil {
			return b, err
		}
		x.searcher.Preload()
	}
	if x.cfg.Night.NoSchedule && !x.onDemandNights {
		return b, nil
	}
	if b.schedule, err = x.newSchedule(); err != nil {
		return b, err
	}
	return b, b.schedule.Start(ctx)
}

// wake makes the schedule check a user's memory now instead of at its next tick.
func (b *background) wake(scope Scope) {
	if b != nil && b.schedule != nil {
		b.schedule.Wake(scope)
	}
}

// enrichGather is how long the enricher collects new memories into one batch. A
// write for each would compete with the publishers for the write lock.
const enrichGather = 100 * time.Millisecond

// enrichEvents enriches the memories of the events, consecutive events of one user
// in one call.
func enrichEvents(ctx context.Context, enricher *enrich.Enricher, events ...eventbus.Event) error {
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
			if !stored.Restored { // already enriched where it was exported; newer knowledge would change it
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

// newSchedule returns a schedule that runs due nights.
func (x *Extension) newSchedule() (*schedule.Schedule, error) {
	return schedule.New(x.runner, x.db, schedule.Options{
		Now: x.cfg.Now, Location: x.cfg.Location, NightTime: x.cfg.Night.Time, OnDemand: x.cfg.Night.NoSchedule,
		OnError: func(err error) { x.report("night", err) },
		OnReport: func(scope Scope, report *consolidate.Report, err error) {
			x.announceRun(context.Background(), scope, report, err)
		},
	})
}

// RunDueNights runs the night of every user whose night is due. It is for hosts
// with [NightConfig.NoSchedule] and a scheduler of their own. A failed night does
// not stop the others.
//
// Errors: those of the nights, joined.
func (x *Extension) RunDueNights(ctx context.Context) error {
	schedule, err := x.newSchedule()
	if err != nil {
		return err
	}
	return schedule.Check(ctx)
}

// stop ends the nightly schedule. The consumers end with the bus.
func (b *background) stop(ctx context.Context) error {
	if b == nil || b.schedule == nil {
		return nil
	}
	return b.schedule.Stop(ctx)
}

// WaitIdle waits until background work has caught up with everything published
// before the call: claims are extracted from messages, entities linked, accesses
// counted, vectors made. If the embedder fails, it returns that error early and the
// work continues. Without background work it returns at once.
func (x *Extension) WaitIdle(ctx context.Context) error {
	if x.background == nil {
		return nil
	}
	if err := x.bus.WaitIdle(ctx); err != nil || x.vectors == nil {
		return err
	}
	return x.vectors.WaitIdle(ctx)
}
