package extension

import (
	"context"
	"errors"
	"fmt"
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
)

// background is what works behind the turn: two consumers and the nights.
type background struct {
	schedule *consolidate.Schedule
}

func startBackground(ctx context.Context, x *Extension) (*background, error) {
	b := &background{}
	enricher := consolidate.NewEnricher(x.db, consolidate.EnrichOptions{})
	_, err := x.bus.Subscribe(ctx, enrichConsumer, func(ctx context.Context, e eventbus.Event) error {
		var stored eventbus.Stored
		if err := e.Decode(&stored); err != nil {
			return eventbus.Permanent(err)
		}
		if stored.Restored {
			return nil // it would be read by what was learnt after it
		}
		err := enricher.Enrich(ctx, e.Scope, stored.ID)
		if errors.Is(err, schema.ErrNotFound) {
			return nil // erased in the meantime
		}
		return err
	}, eventbus.Topics(eventbus.TopicMemoryStored), eventbus.FromStart())
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
		return consolidate.ApplyRecalled(ctx, x.db, e.Scope, e.Seq, recalled.Channel, recalled.Query, items, e.OccurredAt)
	}, eventbus.Topics(eventbus.TopicMemoryRecalled), eventbus.FromStart())
	if err != nil {
		return b, err
	}
	if x.vectors != nil {
		if err := x.vectors.Start(ctx); err != nil {
			return b, err
		}
		x.searcher.Preload()
	}
	if x.cfg.NoSchedule {
		return b, nil
	}
	b.schedule, err = consolidate.NewSchedule(x.runner, x.db, consolidate.ScheduleOptions{
		Now: x.cfg.Now, Location: x.cfg.Location, NightTime: x.cfg.NightTime,
		OnError:  func(err error) { x.report("night", err) },
		OnReport: func(scope Scope, report *consolidate.Report) { x.announceRun(context.Background(), scope, report) },
	})
	if err != nil {
		return b, err
	}
	return b, b.schedule.Start(ctx)
}

// stop ends the nights. The consumers end with the bus.
func (b *background) stop(ctx context.Context) error {
	if b == nil || b.schedule == nil {
		return nil
	}
	return b.schedule.Stop(ctx)
}

// WaitIdle returns when what works behind the turn has caught up with
// everything published before: entities are linked, access is counted, vectors
// are made. An embedder that fails cuts it short with its error; the work goes
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

// Consolidate runs a night for one user now, whatever the schedule says, and
// reports what it did. It does not use up the local day.
func (x *Extension) Consolidate(ctx context.Context, scope Scope) (*consolidate.Report, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if x.cfg.ReadOnly {
		return nil, ErrReadOnly
	}
	report, err := x.runner.Run(ctx, scope, "manual")
	if err != nil {
		return report, err
	}
	x.announceRun(ctx, scope, report)
	return report, nil
}

// announceRun reports a finished run on the bus.
func (x *Extension) announceRun(ctx context.Context, scope Scope, report *consolidate.Report) {
	event, err := eventbus.New(eventbus.TopicMemoryConsolidated, scope, schema.OriginUnknown,
		eventbus.Consolidated{RunID: report.RunID, Cause: report.Cause, State: "done"})
	if err == nil {
		err = x.bus.Report(ctx, event)
	}
	if err != nil {
		x.report("night", err)
	}
}

// consolidateForTool is what memory_consolidate does: a model may ask for it,
// and gets a sentence.
func (x *Extension) consolidateForTool(scope Scope) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		report, err := x.Consolidate(ctx, scope)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Consolidation done in %s: %s", report.Took.Round(time.Millisecond), report.Summary()), nil
	}
}
